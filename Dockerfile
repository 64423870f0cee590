# tracker-mcp for a team, over HTTP. The README says what has to be set.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY build ./build
COPY src ./src
RUN npm run build

FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY package.json package-lock.json LICENSE ./
# DuckDB, which runs the queries of query_report, is all that this installs.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY --from=build /build/dist ./dist
ENV NODE_ENV=production \
    TRACKER_MCP_HOST=0.0.0.0 \
    TRACKER_MCP_PORT=3333
# The user that the image brings, by its number, so that Kubernetes can see that it is not root.
USER 1000
EXPOSE 3333
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TRACKER_MCP_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["http"]

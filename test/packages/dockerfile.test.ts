import { readFileSync } from 'node:fs';
import { DockerfileParser } from 'dockerfile-ast';
import { describe, expect, test } from 'vitest';
import { complaintsAbout, rules, sourcesOf, variablesOf } from './dockerfile-rules.ts';

const text = readFileSync('Dockerfile', 'utf8');
const file = DockerfileParser.parse(text);

test('the Dockerfile is valid and keeps every promise', () => {
  expect(complaintsAbout(text)).toEqual([]);
});

describe('a Dockerfile that breaks a promise is refused', () => {
  const changes: Readonly<Record<string, readonly [from: string | RegExp, to: string]>> = {
    'each stage begins with': [/FROM node:\S+\n/, 'FROM node:latest\n'],
    'build tools are not in the image': [/FROM[\s\S]*?\n\n/, ''],
    'the last user is not root': ['USER 1000', 'USER root'],
    'the health check asks': [/HEALTHCHECK[\s\S]*?\n {2}CMD.*\n/, 'HEALTHCHECK NONE\n'],
    'no variable and no build argument is a secret': ['ENV NODE_ENV', 'ENV TRACKER_API_KEY=abc NODE_ENV'],
    'copied files are named': ['COPY src ./src', 'COPY . ./'],
    'packages are those of the lock file': ['npm ci --omit=dev', 'npm install --omit=dev'],
    'signals reach the server': [/ENTRYPOINT.*/, 'ENTRYPOINT node dist/cli.js'],
  };

  test.each(Object.entries(changes))('%s', (promise, [from, to]) => {
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    expect(complaintsAbout(changed)).toContainEqual(expect.stringContaining(promise));
  });

  test('each promise has an example here', () => {
    const shown = Object.keys(changes);
    expect(rules.filter(({ promise }) => !shown.some((start) => promise.startsWith(start)))).toEqual([]);
  });

  test('syntax errors', () => {
    expect(complaintsAbout(text.replace('USER 1000', 'USR 1000'))).toContainEqual(
      expect.stringMatching(/^line \d+: .*USR/),
    );
  });
});

test('the build context is exactly the copied files', () => {
  const copied = file.getCOPYs().flatMap((copy) => (copy.getFromFlag() ? [] : sourcesOf(copy)));
  const lines = readFileSync('.dockerignore', 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines[0]).toBe('*');
  expect(lines.slice(1)).toEqual([...new Set(copied)].sort().map((source) => `!${source}`));
});

test('the image serves on all addresses at its exposed port, with a supported Node', () => {
  const { TRACKER_MCP_HOST, TRACKER_MCP_PORT } = variablesOf(file.getENVs());
  expect([TRACKER_MCP_HOST, `EXPOSE ${TRACKER_MCP_PORT}`]).toEqual(['0.0.0.0', text.match(/^EXPOSE .*/m)?.[0]]);
  const [oldest] = /\d+/.exec(JSON.parse(readFileSync('package.json', 'utf8')).engines.node) ?? [];
  for (const from of file.getFROMs())
    expect(Number.parseInt(from.getImageTag() ?? '', 10)).toBeGreaterThanOrEqual(Number(oldest));
});

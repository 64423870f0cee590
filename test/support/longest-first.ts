import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slow files, the slowest first. Short files at the end keep all workers busy. */
const longest: readonly string[] = [
  'test/analysis/sql/engine.test.ts',
  'test/house/pumped-patterns.test.ts',
  'test/tools/codes.test.ts',
  'test/tools/outcomes.test.ts',
  'test/tools/account/held-money.test.ts',
  'test/analysis/change/causes.test.ts',
  'test/tools/odd-inputs.test.ts',
  'test/tools/explain-change.test.ts',
  'test/tools/review-account.test.ts',
  'test/analysis/review/account-review.test.ts',
  'test/analysis/change/whole.test.ts',
  'test/analysis/statistics/calibration.test.ts',
  'test/analysis/sql/attacks.test.ts',
  'test/tools/account/break-down-account.test.ts',
  'test/tools/period.test.ts',
  'test/tools/strangers.test.ts',
  'test/analysis/effects.test.ts',
  'test/questions/questions.test.ts',
  'test/tools/check-tracking.test.ts',
  'test/tools/decimal-marks.test.ts',
  'test/client/decode/plain-parsers.test.ts',
  'test/tools/query-report.test.ts',
  'test/client/answer-reader.test.ts',
  'test/tools/account/many-campaigns.test.ts',
  'test/approve/crowded-directory.test.ts',
  'test/tools/compare/compare-pages.test.ts',
  'test/client/decode/broken.test.ts',
  'test/tools/statements.test.ts',
  'test/client/decode/bounds.test.ts',
  'test/mcp/http/approve-page.test.ts',
  'test/tools/make-changes.test.ts',
  'test/tools/account/reading.property.test.ts',
  'test/tools/rotation/undo-several.test.ts',
  'test/packages/release.test.ts',
  'test/sandbox/sandbox.test.ts',
  'test/approve/proposing.test.ts',
  'test/mcp/http/ending.test.ts',
  'test/analysis/shared-values.test.ts',
  'test/tools/one-deadline.test.ts',
  'test/sandbox/sample-data/load-sample-data.test.ts',
  'test/commands/review.test.ts',
  'test/commands/install/install.test.ts',
  'test/commands/review-kill.test.ts',
  'test/e2e/large-answers.test.ts',
  'test/e2e/package.test.ts',
  'test/commands/stored-trackers.test.ts',
  'test/e2e/approve.test.ts',
  'test/commands/program.test.ts',
  'test/e2e/query-process.test.ts',
  'test/commands/past-days.test.ts',
  'test/e2e/change-log.test.ts',
  'test/e2e/files.test.ts',
  'test/e2e/stdio.test.ts',
  'test/commands/demo.test.ts',
  'test/e2e/http.test.ts',
  'test/e2e/closing-the-loop.test.ts',
  'test/e2e/run-command.test.ts',
  'test/e2e/stdio-wire.test.ts',
  'test/commands/sandbox/traffic.test.ts',
  'test/commands/call.test.ts',
  'test/e2e/dockerfile-steps.test.ts',
  'test/e2e/tracing.test.ts',
  'test/commands/completion.test.ts',
  'test/commands/sandbox/sandbox.test.ts',
  'test/e2e/sets-killed.test.ts',
  'test/commands/check.test.ts',
];

for (const file of longest) {
  if (!existsSync(file))
    throw new Error(`${file} does not exist: remove it from the list in test/support/longest-first.ts.`);
}

/** Starts the slow files of a project first, and keeps the order of the others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const orderOf = ({ project, moduleId }: TestSpecification) => {
      const index = longest.indexOf(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/'));
      return projects.indexOf(project.name) * (longest.length + 1) + (index === -1 ? longest.length : index);
    };
    return sorted.sort((one, other) => orderOf(one) - orderOf(other));
  }
}

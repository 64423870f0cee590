import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slow files, the slowest first. Short files at the end keep all workers busy. */
const longest: readonly string[] = [
  'test/tools/outcomes.test.ts',
  'test/tools/odd-inputs.test.ts',
  'test/tools/account/held-money.test.ts',
  'test/tools/explain-change.test.ts',
  'test/analysis/change/causes.test.ts',
  'test/questions/questions.test.ts',
  'test/analysis/sql/attacks.test.ts',
  'test/analysis/statistics/calibration.test.ts',
  'test/sandbox/sample-data/load-sample-data.test.ts',
  'test/tools/query-report.test.ts',
  'test/tools/strangers.test.ts',
  'test/client/answer-reader.test.ts',
  'test/sandbox/sample-data/kill.test.ts',
  'test/packages/release.test.ts',
  'test/approve/proposing.test.ts',
  'test/tools/account/many-campaigns.test.ts',
  'test/client/decode/bounds.test.ts',
  'test/tools/compare/compare-pages.test.ts',
  'test/client/faults.test.ts',
  'test/sandbox/sandbox.test.ts',
  'test/client/decode/fuzz.test.ts',
  'test/commands/review.test.ts',
  'test/commands/install/install.test.ts',
  'test/e2e/large-answers.test.ts',
  'test/e2e/package.test.ts',
  'test/commands/review-kill.test.ts',
  'test/commands/program.test.ts',
  'test/commands/demo.test.ts',
  'test/commands/stored-trackers.test.ts',
  'test/e2e/query-process.test.ts',
  'test/e2e/files.test.ts',
  'test/e2e/approve.test.ts',
  'test/e2e/stdio-wire.test.ts',
  'test/e2e/change-log.test.ts',
  'test/commands/sandbox/traffic.test.ts',
  'test/e2e/stdio.test.ts',
  'test/commands/sandbox/sandbox.test.ts',
  'test/e2e/run-command.test.ts',
  'test/commands/past-days.test.ts',
  'test/e2e/http.test.ts',
  'test/commands/call.test.ts',
  'test/e2e/dockerfile-steps.test.ts',
  'test/e2e/closing-the-loop.test.ts',
  'test/e2e/desktop-bundle.test.ts',
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

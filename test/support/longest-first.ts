import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take long, the longest first. What is left at the end is short, so that no worker waits long for another. */
const longest: readonly string[] = [
  'test/analysis/sql/attacks.test.ts',
  'test/tools/query-report.test.ts',
  'test/questions/questions.test.ts',
  'test/analysis/statistics/calibration.test.ts',
  'test/sandbox/sample-data/load-sample-data.test.ts',
  'test/tools/strangers.test.ts',
  'test/packages/release.test.ts',
  'test/client/reading/read-response.test.ts',
  'test/approve/proposing.test.ts',
  'test/sandbox/reports/agreement.test.ts',
  'test/client/decode/bounds.test.ts',
  'test/sandbox/sample-data/kill.test.ts',
  'test/client/faults.test.ts',
  'test/client/decode/fuzz.test.ts',
  'test/e2e/stdio.test.ts',
  'test/e2e/query-process.test.ts',
  'test/e2e/large-answers.test.ts',
  'test/e2e/closing-the-loop.test.ts',
  'test/e2e/package.test.ts',
  'test/commands/demo.test.ts',
  'test/commands/sandbox/traffic.test.ts',
  'test/commands/sandbox/sandbox.test.ts',
  'test/e2e/approve.test.ts',
  'test/e2e/several-trackers.test.ts',
  'test/e2e/run-command.test.ts',
];

const places = new Map(longest.map((file, index) => [file, index]));

/** Starts the files of a project that take long ahead of its others, whose order stays. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const byLength = ({ project, moduleId }: TestSpecification) =>
      projects.indexOf(project.name) * (longest.length + 1) + this.#placeOf(moduleId);
    return sorted
      .map((file) => ({ file, place: byLength(file) }))
      .sort((one, other) => one.place - other.place)
      .map(({ file }) => file);
  }

  #placeOf(file: string): number {
    return places.get(relative(this.ctx.config.root, file).replaceAll('\\', '/')) ?? longest.length;
  }
}

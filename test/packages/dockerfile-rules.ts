import { type Copy, type Dockerfile, DockerfileParser, type Env, type Instruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';

interface Rule {
  readonly promise: string;
  readonly holds: (file: Dockerfile) => boolean;
}

/** The promises of an image of this server. */
export const rules: readonly Rule[] = [
  {
    promise: 'each stage begins with a slim image of one exact version, or with its digest',
    holds: (file) =>
      file
        .getFROMs()
        .every((from) => from.getImageDigest() !== null || /^\d+\.\d+\.\d+-\w+-slim$/.test(from.getImageTag() ?? '')),
  },
  { promise: 'build tools are not in the image', holds: (file) => file.getFROMs().length > 1 },
  {
    promise: 'the last user is not root, and a number',
    holds: (file) => /^[1-9]\d*(:[1-9]\d*)?$/.test(lastOf(file, 'USER')?.getArgumentsContent() ?? ''),
  },
  {
    promise: 'the health check asks /healthz',
    holds: (file) => lastOf(file, 'HEALTHCHECK')?.getArgumentsContent()?.includes('/healthz') ?? false,
  },
  {
    promise: 'no variable and no build argument is a secret',
    holds: (file) =>
      [...file.getENVs(), ...file.getARGs()]
        .flatMap((instruction) => instruction.getArguments().map((argument) => argument.getValue()))
        .every((text) => !/^\w*(KEY|TOKEN|SECRET|PASSWORD)/i.test(text)),
  },
  {
    promise: 'copied files are named, and nothing is downloaded',
    holds: (file) =>
      instructionsOf(file, 'ADD').length === 0 && file.getCOPYs().every((copy) => sourcesOf(copy).every(isNamed)),
  },
  {
    promise: 'packages are those of the lock file, and run no scripts',
    holds: (file) =>
      instructionsOf(file, 'RUN')
        .flatMap((run) => run.getArgumentsContent()?.split('&&') ?? [])
        .filter((command) => /\bnpm (ci|i|install|add)\b/.test(command))
        .every((command) => /\bnpm ci\b.*--ignore-scripts/.test(command)),
  },
  {
    promise: 'signals reach the server, which is started without a shell',
    holds: (file) => file.getENTRYPOINTs().some((entry) => entry.getJSONStrings().length > 0),
  },
];

/** The syntax errors of a Dockerfile, and the promises that it breaks, one line each. */
export function complaintsAbout(text: string): readonly string[] {
  const file = DockerfileParser.parse(text);
  return [
    ...validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`),
    ...rules.filter(({ holds }) => !holds(file)).map(({ promise }) => promise),
  ];
}

export function instructionsOf(file: Dockerfile, keyword: string): readonly Instruction[] {
  return file.getInstructions().filter((instruction) => instruction.getKeyword() === keyword);
}

/** All words of a COPY but the last. */
export function sourcesOf(copy: Copy): readonly string[] {
  return copy
    .getArguments()
    .slice(0, -1)
    .map((argument) => argument.getValue());
}

export function variablesOf(envs: readonly Env[]): Readonly<Record<string, string>> {
  const properties = envs.flatMap((env) => env.getProperties());
  return Object.fromEntries(properties.map((property) => [property.getName(), property.getValue() ?? '']));
}

function lastOf(file: Dockerfile, keyword: string): Instruction | undefined {
  return instructionsOf(file, keyword).at(-1);
}

function isNamed(source: string): boolean {
  return !/^[./]*$|[*?]/.test(source);
}

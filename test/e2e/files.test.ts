import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { specialFiles } from '../support/special-files.ts';
import { plainAnswers } from '../support/specified.ts';
import { otherUsers, privateModes } from '../support/system.ts';
import { environmentOf, runCli, startCli } from './support/run-cli.ts';
import { runCommand } from './support/run-command.ts';

const tracker = await startForeignTracker({
  ...plainAnswers,
  'campaign/list': '[{"ID":"7","Name":"Seven"}]',
  conversions: '[]',
  visitorstats: '[]',
});
// A user who is only a number has no home.
const account = {
  HOME: await newFolder(),
  TRACKER_URL: tracker.url,
  TRACKER_API_KEY: 'files-secret-key',
  TRACKER_TIMEZONE: 'UTC',
};

interface Use {
  readonly given: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Everything that opens a path that a user gives. */
const uses = {
  'the state of review': (path) => ({ given: ['review', '--state', path], environment: account }),
  'the secret of a webhook': (path) => ({
    given: ['review', '--webhook', 'http://127.0.0.1:9', '--webhook-secret-file', path],
    environment: account,
  }),
  'an audit log to read': (path) => ({ given: ['audit', path] }),
  'an audit log to write': (path) => ({
    given: ['call', 'edit_campaign', '--campaign-id', '7', '--bid', '0.5'],
    environment: { ...account, TRACKER_AUDIT_LOG: path },
  }),
  'a key file': (path) => ({
    given: ['call', 'list_campaigns'],
    environment: { TRACKER_URL: tracker.url, TRACKER_API_KEY_FILE: path },
  }),
  'a file of trackers': (path) => ({ given: ['call', 'list_campaigns', '--config', path] }),
  'a file of approvers': (path) => ({ given: ['approver', '--approvers', path, 'add', 'ann'] }),
  'a file of tokens': (path) => ({ given: ['token', '--tokens', path, 'add', 'ann', '--read'] }),
  'a file of tokens to serve with': (path) => ({
    given: ['http', '--tokens', path, '--port', '0'],
    environment: account,
  }),
  'data of a sandbox': (path) => ({ given: ['sandbox', '--data', path] }),
  'a profile of visitors': (path) => ({
    given: ['sandbox', 'traffic', '--campaign', '7', '--visitors', '1', '--profile', path],
    environment: account,
  }),
  'a statement': (path) => ({ given: ['reconcile', path], environment: account }),
  'settings of a chat program': (path) => ({
    given: ['install', 'claude-code', '--yes', '--sandbox'],
    environment: { CLAUDE_CONFIG_DIR: join(path, '..') },
  }),
} satisfies Record<string, (path: string) => Use>;

/** The name that one chat program wants; all other uses take any. */
const fileName = '.claude.json';

describe.each(Object.entries<(path: string) => Use>(uses))('%s', (_, use) => {
  test.each(specialFiles)(
    'that is not a file but %s is refused by name, before the tracker is asked',
    async (word, make) => {
      const path = join(await newFolder(), fileName);
      await make(path);
      const before = await lstat(path);
      const { code, stdout, stderr } = await run(use(path));
      const said = (stdout + stderr).replace(/\s+/g, ' ');
      expect([code === 0, said.includes(path), said.includes(word)]).toEqual([false, true, true]);
      expect(said).not.toMatch(/ at .*\.js:\d/);
      expect(tracker.writes()).toEqual([]);
      const after = await lstat(path);
      expect([after.ino, after.mode]).toEqual([before.ino, before.mode]);
    },
  );
});

/** A thread is cheaper than a process, but only a process can be another user's. */
const run = ({ given, environment = {} }: Use, user?: number) =>
  user === undefined ? runCommand(given, { environment }) : runCli(given, { environment, user });

/** Uses that write, and what is there before. */
const written = {
  'the state of review': '{"version":1,"trackers":{},"pending":[]}',
  'an audit log to write': '',
  'a file of approvers': '{"approvers":[]}',
  'a file of tokens': '{"tokens":[]}',
  'settings of a chat program': '{}',
} satisfies Partial<Record<keyof typeof uses, string>>;

const eachWritten = Object.entries(written).map(([name, content]) => [name as keyof typeof written, content] as const);

describe.each(eachWritten)('a link to %s', (name, content) => {
  const use = uses[name];

  test('is followed, and stays a link', async () => {
    const folder = await newFolder();
    const [path, target] = await linkTo(folder, 'kept.json');
    await writeFile(target, content, { mode: 0o600 });
    expect([0, 1]).toContain((await run(use(path))).code);
    expect(await readlink(path)).toBe(join('..', 'real', 'kept.json'));
    expect((await readFile(target, 'utf8')).length).toBeGreaterThan(content.length);
    expect((await readdir(join(folder, 'real'))).filter((other) => !other.endsWith('.bak'))).toEqual(['kept.json']);
  });

  test('that leads to no file yet creates it there', async () => {
    const [path, target] = await linkTo(await newFolder(), 'new.json');
    expect([0, 1]).toContain((await run(use(path))).code);
    expect(await readlink(path)).toBe(join('..', 'real', 'new.json'));
    expect((await readFile(target, 'utf8')).length).toBeGreaterThan(0);
  });
});

/** A relative link, in a folder that is reached through another link. */
async function linkTo(folder: string, name: string): Promise<readonly [path: string, target: string]> {
  await mkdir(join(folder, 'real'));
  await mkdir(join(folder, 'links'));
  await symlink('links', join(folder, 'folder'), 'junction');
  await symlink(join('..', 'real', name), join(folder, 'links', fileName), 'file');
  return [join(folder, 'folder', fileName), join(folder, 'real', name)];
}

test('data of a sandbox behind a link is kept where the link leads', async () => {
  const [path, target] = await linkTo(await newFolder(), 'data.duckdb');
  const child = startCli(['sandbox', '--data', path, '--json']);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect((await lstat(path)).isSymbolicLink()).toBe(true);
  expect((await stat(target)).size).toBeGreaterThan(0);
});

test('a byte order mark is read over, and stays in the settings of a chat program', async () => {
  const folder = await newFolder();
  const marked = async (name: string, content: string) => {
    const path = join(folder, name);
    await writeFile(path, `\ufeff${content}`, { mode: 0o600 });
    return path;
  };
  const key = await marked('key', 'files-secret-key\n');
  const config = await marked(
    'trackers.json',
    JSON.stringify({ trackers: { one: { url: tracker.url, key_file: key } } }),
  );
  expect((await runCommand(['call', 'list_campaigns', '--config', config])).code).toBe(0);
  const approvers = await marked('approvers.json', '{"approvers":[]}');
  expect((await run(uses['a file of approvers'](approvers))).code).toBe(0);
  const state = await marked('state.json', written['the state of review']);
  expect(await run(uses['the state of review'](state))).toMatchObject({ stderr: '' });
  const settings = await marked(fileName, '{\n  "theme": "dark"\n}\n');
  expect((await run(uses['settings of a chat program'](settings))).code).toBe(0);
  expect(await readFile(settings, 'utf8')).toMatch(/^\ufeff\{\s+"mcpServers".*"theme": "dark"/s);
  await runCommand(['uninstall', 'claude-code', '--yes'], { environment: { CLAUDE_CONFIG_DIR: folder } });
  expect(await readFile(settings, 'utf8')).toMatch(/^\ufeff\{\s+"mcpServers": \{\s*\},\s+"theme": "dark"\s+\}\n$/);
});

test('a statement on standard input is read up to its bound, not to its end', async () => {
  const child = startCli(['reconcile', '-'], { environment: account });
  const megabyte = Buffer.alloc(1_000_000, 'subid,amount\n');
  const exited = once(child, 'exit');
  const said = text(child.stderr);
  let sent = 0;
  child.stdin.on('error', () => undefined);
  while (child.exitCode === null && sent < 200 && !child.stdin.destroyed) {
    sent += 1;
    if (!child.stdin.write(megabyte)) await Promise.race([once(child.stdin, 'drain').catch(() => undefined), exited]);
  }
  expect([await exited, await said]).toEqual([[2, null], expect.stringContaining('a statement may have 64 MB')]);
  expect(sent).toBeLessThan(100);
  expect(tracker.taken()).toEqual([]);
});

describe.each(privateModes)('what others can change', (mode) => {
  const finding = { money_a_day: 1, what: 'forged', missing: 0 };
  const forged = JSON.stringify({
    version: 1,
    trackers: { '': { account: 'x', findings: { a: finding } } },
    pending: [],
  });

  test('is no state of earlier rounds', async () => {
    const folder = await newFolder();
    const path = join(folder, 'state.json');
    await writeFile(path, forged);
    for (const others of [0o020, 0o002]) {
      await chmod(path, mode | others);
      const { code, stderr } = await run(uses['the state of review'](path));
      expect([code, stderr]).toEqual([2, expect.stringMatching(/can be written by others.*chmod go-w/s)]);
      expect(await readFile(path, 'utf8')).toBe(forged);
    }
    await chmod(path, mode);
    await chmod(folder, 0o777);
    const { stderr } = await run(uses['the state of review'](path));
    expect(stderr).toContain('in a folder that everyone can write to');
    expect(tracker.taken()).toEqual([]);
  });

  test('is no record of changes to undo', async () => {
    const log = join(await newFolder(), 'writes.jsonl');
    const environment = { ...account, TRACKER_AUDIT_LOG: log };
    await runCommand(['call', 'edit_campaign', '--campaign-id', '7', '--bid', '0.5'], { environment });
    const listed = async () => (await runCommand(['call', 'list_changes', '--json'], { environment })).stdout;
    expect(JSON.parse(await listed()).changes).toHaveLength(1);
    await chmod(log, mode | 0o002);
    const { changes, notices } = JSON.parse(await listed());
    expect([changes, notices.join()]).toEqual([[], expect.stringContaining('can be written by others')]);
    expect((await runCommand(['audit', log])).stdout).toContain('edit_campaign');
  });
});

describe.each(otherUsers)('a user of the machine', (owner, other) => {
  /** A folder of the owner, which others may look into, and a way to put files of theirs there. */
  async function home() {
    const folder = await newFolder();
    await chown(folder, owner, owner);
    await chmod(folder, 0o755);
    const put = async (name: string, content: string, mode = 0o600, user = owner) => {
      const path = join(folder, name);
      await writeFile(path, content, { mode });
      await chmod(path, mode);
      await chown(path, user, user);
      return path;
    };
    const look = async (name: string) => {
      const { uid, gid, mode } = await stat(join(folder, name));
      return [uid, gid, mode & 0o777];
    };
    return { folder, put, look };
  }

  test.each(eachWritten)('keeps %s that root changes, and owns it if root makes it', async (name, content) => {
    const use = uses[name];
    const { put, look, folder } = await home();
    const path = await put(fileName, content, 0o600);
    await run(use(path));
    expect(await look(fileName)).toEqual([owner, owner, 0o600]);
    expect(await readFile(path, 'utf8')).not.toBe(content);
    await rename(path, join(folder, 'before'));
    await run(use(path));
    expect(await look(fileName)).toEqual([owner, owner, 0o600]);
    for (const made of await readdir(folder)) expect((await look(made)).slice(0, 2)).toEqual([owner, owner]);
  });

  test('owns the key file and its folders if root installs for them', async () => {
    const { folder, put, look } = await home();
    await put(fileName, '{}', 0o644);
    const environment = {
      ...account,
      HOME: folder,
      CLAUDE_CONFIG_DIR: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
    };
    expect((await runCommand(['install', 'claude-code', '--yes'], { environment })).code).toBe(0);
    expect(await look(fileName)).toEqual([owner, owner, 0o644]);
    const keys = join('config', 'tracker-mcp', 'keys');
    const [key = ''] = await readdir(join(folder, keys));
    expect(await look(join(keys, key))).toEqual([owner, owner, 0o600]);
    for (const made of ['config', join('config', 'tracker-mcp'), keys]) {
      expect((await look(made)).slice(0, 2)).toEqual([owner, owner]);
    }
  });

  test('can read what root decides about their proposals', async () => {
    const { folder } = await home();
    const meeting = { TRACKER_PROPOSALS: join(folder, 'proposals'), TRACKER_APPROVERS: join(folder, 'approvers.json') };
    const options = {
      environment: {
        ...account,
        ...meeting,
        XDG_STATE_HOME: folder,
        XDG_CACHE_HOME: folder,
        TRACKER_CONFIRM: 'approve',
      },
      user: owner,
    };
    const secret = (await runCli(['approver', 'add', 'ann'], options)).stdout;
    await runCli(['call', 'edit_campaign', '--campaign-id', '7', '--bid', '0.5'], options);
    const [id = ''] = (await readdir(meeting.TRACKER_PROPOSALS))[0]?.split('.') ?? [];
    // Left by a version that kept it for root.
    await writeFile(join(meeting.TRACKER_PROPOSALS, `${id}.decision.json`), '{}', { mode: 0o600 });
    const rejected = await runCommand(['approve', id, '--reject'], { environment: meeting, input: secret });
    expect(rejected).toMatchObject({ code: 0, stdout: expect.stringContaining('rejected') });
    expect((await runCli(['approve'], options)).stdout).toBe('Nothing waits for a person.\n');
  });

  test('is told if the file of another user is to be believed, and root is not', async () => {
    const { put, folder } = await home();
    const state = await put('state.json', written['the state of review'], 0o644);
    const use = uses['the state of review'](state);
    expect(await run(use, other)).toMatchObject({ code: 2, stderr: expect.stringContaining('another user') });
    expect(await run(use)).toMatchObject({ code: 0, stderr: '' });
    expect(await run(use, owner)).toMatchObject({ code: 0, stderr: '' });
    const tokens = await put('tokens.json', '{"tokens":[]}', 0o644, other);
    const added = await run(uses['a file of tokens'](tokens), owner);
    expect(added).toMatchObject({ code: 1, stderr: expect.stringMatching(/another user, who could make a token/) });
    expect(await readdir(folder)).toHaveLength(2);
  });

  test('cannot have root write a file of others through a link', async () => {
    const { folder, put } = await home();
    const victim = await put('victim.json', written['the state of review'], 0o600, other);
    const link = join(folder, 'state.json');
    await symlink(victim, link);
    await lchown(link, owner, owner);
    const { code, stderr } = await run(uses['the state of review'](link));
    expect([code, stderr]).toEqual([2, expect.stringContaining('a link of another user')]);
    expect(await readFile(victim, 'utf8')).toBe(written['the state of review']);
  });

  test('who may not read a key file, or look into its folder, is told in one line', async () => {
    const { folder, put } = await home();
    const key = await put('key', 'files-secret-key', 0o600, other);
    for (const mode of [0o755, 0o700]) {
      await chmod(folder, mode);
      const { code, stderr } = await run(uses['a key file'](key), other + 1);
      expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringContaining(`${key} (EACCES)`)]]);
    }
  });

  test('with a full disk gets one line, and keeps the file as it was', async () => {
    const folder = await newFolder();
    const path = join(folder, 'kept.json');
    // The file system ends with the processes that see it.
    const script = `mount -t tmpfs -o size=16k none "$1" && printf '%s' "$3" > "$2" && chmod 600 "$2" &&
      { head -c 1M /dev/zero > "$1/filled" 2>&1 || true; } && shift 3 && { code=0; "$@" || code=$?; cat "${path}" >&2; exit $code; }`;
    for (const [name, content] of eachWritten) {
      if (name === 'settings of a chat program') continue;
      const { given, environment }: Use = uses[name](path);
      const program = [process.execPath, 'dist/cli.js', ...given];
      const ended = await spawnAs(
        ['unshare', '-m', 'sh', '-ec', script, 'sh', folder, path, content, ...program],
        environment,
      );
      expect([name, ended.stderr]).toEqual([name, expect.stringMatching(/ENOSPC, the disk is full/)]);
      expect(ended.stderr).not.toMatch(/ at .*\.js:\d/);
      expect(ended.stderr.endsWith(content)).toBe(true);
      expect(ended.code).not.toBe(0);
    }
    expect(tracker.writes()).toEqual([]);
  });
});

/** Runs another program to its end. */
async function spawnAs([program = '', ...given]: readonly string[], environment = {}) {
  const child = spawn(program, given, { env: environmentOf(environment) });
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr), child.stdout.resume()]);
  return { code, stderr };
}

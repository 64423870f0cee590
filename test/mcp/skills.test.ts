import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SKILLS_EXTENSION_ID, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { expect, test } from 'vitest';
import { closeAfterTests } from '../support/closing.ts';
import type { ConnectOptions } from '../support/connect.ts';
import { startHttp } from '../support/http-server.ts';

const nowhere = 'http://127.0.0.1:9';
const extensions = { [SKILLS_EXTENSION_ID]: {} };

/** A host of the SDK, over HTTP. It checks each skill and the digest of each file. */
async function connectHost(version: 'newer' | 'older', options: ConnectOptions = { url: nowhere }) {
  const { url } = await startHttp(options);
  const versionNegotiation =
    version === 'newer' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } as const } : {};
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions }, ...versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  closeAfterTests(() => client.close());
  return { client, skills: new SkillsClient(client) };
}

test.each(['newer', 'older'] as const)('the prompts are skills for hosts of the %s protocol', async (version) => {
  const { client, skills } = await connectHost(version);
  expect(skills.supported).toBe(true);
  const { skills: entries } = await skills.list();
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  expect(entries.map(({ frontmatter }) => frontmatter.name)).toEqual(prompts.map(({ name }) => name));
  for (const entry of entries) {
    expect((await skills.get(entry.uri)).skill).toEqual(entry);
    expect(resources.find(({ uri }) => uri === entry.uri)).toMatchObject(entry.frontmatter);
    const prompt = prompts.find(({ name }) => name === entry.frontmatter.name);
    expect(entry.frontmatter.description).toContain(prompt?.title);
    const { body = '', verified } = await skills.read(entry);
    expect(verified).toBe(true);
    const places = prompt?.arguments?.map(({ name }) => [name, `{${name}}`]) ?? [];
    for (const [, place] of places) expect(body).toContain(place);
    const asked = await client.getPrompt({ name: entry.frontmatter.name, arguments: Object.fromEntries(places) });
    const [{ content } = { content: undefined }] = asked.messages;
    expect(body.trimEnd().endsWith(content?.type === 'text' ? content.text : '?')).toBe(true);
  }
});

test('with several trackers, each skill asks for the tracker', async () => {
  const { skills } = await connectHost('newer', { trackers: { main: { url: nowhere }, other: { url: nowhere } } });
  for (const entry of (await skills.list()).skills) expect((await skills.read(entry)).body).toContain('- {tracker}: ');
});

test('what is no skill is refused, and no list is promised to change', async () => {
  const { client, skills } = await connectHost('newer');
  await expect(skills.get('skill://tracker-mcp/none/SKILL.md')).rejects.toThrow(/No skill/);
  await expect(client.readResource({ uri: 'skill://tracker-mcp/none/SKILL.md' })).rejects.toThrow(/no resource/);
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  for (const list of [tools, prompts, resources]) expect(list).toEqual({ listChanged: false });
});

import { createHmac, randomBytes } from 'node:crypto';
import { type Connection, RedisAway, type Run, script } from './connection.ts';

/** Remembers that an answer was used, if the secret by which it was signed is still the one there. */
const use = script(`
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
  if redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[2]) then return 1 end
  return 0
`);

/**
 * What replicas need to take a person's answer to a question that another one asked, once between them.
 *
 * The key has two parts: a random secret in Redis, which the first replica puts there, and the API key, which all of them
 * have. Whoever can read Redis cannot sign an answer. And a Redis that lost which answers were used has lost its secret too,
 * so none of them can be used again; a key from the configuration would let them.
 */
export class SharedQuestions {
  readonly #connection: Connection;
  readonly #account: string;
  readonly #apiKey: string;
  #secret: string | undefined;

  /** @param account the beginning of the names of keys */
  constructor(connection: Connection, account: string, apiKey: string) {
    this.#connection = connection;
    this.#account = account;
    this.#apiKey = apiKey;
    connection.onFound((run) => this.#agree(run));
  }

  /**
   * Signs questions.
   *
   * @throws RedisAway where it is not known
   */
  get key(): Uint8Array {
    if (this.#secret === undefined) throw new RedisAway(this.#connection.reason ?? 'it was not reached yet');
    return createHmac('sha256', this.#apiKey).update(`state of questions: ${this.#secret}`).digest();
  }

  readonly answered = {
    /**
     * @param until in milliseconds since the epoch
     * @returns whether this is the first answer to the question
     */
    take: async (question: string, until: number): Promise<boolean> => {
      const keys = [this.#secretName, `${this.#account}:answered:${question}`] as const;
      const leftMs = Math.max(1, Math.ceil(until - Date.now()));
      const { run } = this.#connection;
      // Longer than it can be used by any replica’s clock.
      const used = await use(run, keys, [this.#secret ?? '', 2 * leftMs]);
      // Redis was emptied while it ran; what is asked from now on is signed by the new secret.
      if (used === -1) await this.#agree(run);
      return used === 1;
    },
  };

  async #agree(run: Run): Promise<void> {
    const name = this.#secretName;
    await run(name, ['SET', name, randomBytes(32).toString('base64url'), 'NX']);
    this.#secret = String(await run(name, ['GET', name]));
  }

  get #secretName(): string {
    return `${this.#account}:question-secret`;
  }
}

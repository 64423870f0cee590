import { Failure } from '../../api/failure.ts';

/** One signal for everything that can stop a query, with the Failure that says why as its reason. */
export class Stop {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #onCancel = () => this.now('the call was cancelled');

  /** @param caller fires when nobody waits for the query any more; it may have fired before */
  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    // A signal that has fired tells its listeners nothing more.
    if (caller?.aborted) this.#onCancel();
    else caller?.addEventListener('abort', this.#onCancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  now(why: string, next = ''): void {
    this.#controller.abort(new Failure(`The query was stopped: ${why}.`, next));
  }

  /** Does a part of the work, and stops the query where it takes longer. */
  async within<Result>(milliseconds: number, next: string, work: () => Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => this.now(`it ran longer than ${milliseconds / 1000} s`, next), milliseconds);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  /** To be called when the query is over. */
  forget(): void {
    this.#caller?.removeEventListener('abort', this.#onCancel);
  }
}

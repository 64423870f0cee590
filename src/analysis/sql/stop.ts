import { Failure } from '../../api/failure.ts';

/** One signal for everything that can stop a query, with the Failure that says why as its reason. */
export class Stop {
  readonly #controller = new AbortController();
  readonly #sources: readonly { readonly signal: AbortSignal; readonly onAbort: () => void }[];
  readonly #timers = new Set<NodeJS.Timeout>();

  /** @param sources signals, each with what it means that it fires; one may have fired long ago */
  constructor(sources: readonly (readonly [signal: AbortSignal | undefined, why: string])[]) {
    this.#sources = sources.flatMap(([signal, why]) =>
      signal === undefined ? [] : [{ signal, onAbort: () => this.#fire(why) }],
    );
    for (const { signal, onAbort } of this.#sources) {
      // A signal that has fired tells its listeners nothing more.
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Fires after that time. @returns what takes it back */
  after(milliseconds: number, why: string, next = ''): () => void {
    const timer = setTimeout(() => this.#fire(why, next), milliseconds);
    this.#timers.add(timer);
    return () => clearTimeout(timer);
  }

  /** To be called when the query is over. */
  forget(): void {
    for (const { signal, onAbort } of this.#sources) signal.removeEventListener('abort', onAbort);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #fire(why: string, next = ''): void {
    this.#controller.abort(new Failure(`The query was stopped: ${why}.`, next));
  }
}

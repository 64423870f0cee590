import { Failure } from '../../api/failure.ts';

/** More waiting queries than that are refused: the last would be answered when nobody waits for it any more. */
const maxWaiting = 8;

/** One query at a time, in the order they came. */
export class Turns {
  readonly #waiting = new Set<() => void>();
  #isTaken = false;

  get isIdle(): boolean {
    return !this.#isTaken;
  }

  /**
   * Waits for a turn; whoever has one ends it.
   *
   * @throws Failure where too many wait, and the reason of the signal where it fires first
   */
  async take(stop: AbortSignal): Promise<void> {
    stop.throwIfAborted();
    if (this.#isTaken) {
      if (this.#waiting.size >= maxWaiting) {
        throw new Failure(
          `The query was not run: ${maxWaiting} others wait already.`,
          'Ask again when they are answered.',
        );
      }
      await this.#wait(stop);
    }
    this.#isTaken = true;
  }

  end(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#isTaken = false;
  }

  #wait(stop: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(begin);
        reject(stop.reason);
      };
      const begin = () => {
        this.#waiting.delete(begin);
        stop.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(begin);
      stop.addEventListener('abort', leave, { once: true });
    });
  }
}

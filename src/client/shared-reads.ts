interface Flight<Answer> {
  readonly answer: Promise<Answer>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Lets identical reads that are in flight at the same time share one request. Each caller may leave; the request ends when
 * the last one has left.
 */
export class SharedReads<Answer> {
  readonly #flights = new Map<string, Flight<Answer>>();

  /**
   * @param question what is asked; equal questions are one request
   * @param signal when this caller leaves; its reason is thrown to it alone
   * @param start sends the request; its signal fires when every caller has left, with the last one's reason
   */
  async join(question: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    signal.throwIfAborted();
    const flight = this.#flights.get(question) ?? this.#begin(question, start);
    flight.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([flight.answer, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        if (this.#flights.get(question) === flight) this.#flights.delete(question);
        // Only what is still under way has anything to end, and making the reason of an end takes time.
        if (signal.aborted) flight.controller.abort(signal.reason);
      }
    }
  }

  /** Who joins from now on is not given an answer that was asked for before. */
  forget(): void {
    this.#flights.clear();
  }

  #begin(question: string, start: (signal: AbortSignal) => Promise<Answer>): Flight<Answer> {
    const controller = new AbortController();
    const answer = start(controller.signal);
    // A flight that everyone has left fails unheard.
    answer.catch(() => undefined);
    const flight = { answer, controller, waiting: 0 };
    this.#flights.set(question, flight);
    return flight;
  }
}

import { Life } from './life.ts';

interface Flight<Answer> {
  readonly answer: Promise<Answer>;
  readonly life: Life;
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
   * @param caller its end is when this caller leaves; its reason is thrown to it alone
   * @param start sends the request; the life it is given ends when every caller has left, with the last one's reason
   */
  async join(question: string, caller: Life, start: (life: Life) => Promise<Answer>): Promise<Answer> {
    if (caller.hasEnded) throw caller.reason;
    const flight = this.#flights.get(question) ?? this.#begin(question, start);
    flight.waiting += 1;
    try {
      return await caller.during(flight.answer);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        if (this.#flights.get(question) === flight) this.#flights.delete(question);
        if (caller.hasEnded) flight.life.end(caller.reason);
      }
    }
  }

  #begin(question: string, start: (life: Life) => Promise<Answer>): Flight<Answer> {
    const life = new Life();
    const answer = start(life);
    // A flight that everyone has left fails unheard.
    answer.catch(() => undefined);
    const flight = { answer, life, waiting: 0 };
    this.#flights.set(question, flight);
    return flight;
  }
}

import { Life } from './life.ts';

interface Flight<Answer> {
  readonly generation: unknown;
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
   * @param question what is asked; equal questions of one generation are one request
   * @param generation whoever asks in a later one gets no answer of this; it may still have to be found out, which holds up
   * nobody who is the only one to ask
   * @param caller its end is when this caller leaves; its reason is thrown to it alone
   * @param start sends the request; the life it is given ends when every caller has left, with the last one's reason
   */
  async join(
    question: string,
    generation: unknown,
    caller: Life,
    start: (life: Life) => Promise<Answer>,
  ): Promise<Answer> {
    if (caller.hasEnded) throw caller.reason;
    let flight = this.#flights.get(question);
    while (flight) {
      const isOfNow: boolean = (await flight.generation) === (await generation);
      // Meanwhile everyone may have left it, or somebody else has begun a later one.
      const latest = this.#flights.get(question);
      if (latest === flight && isOfNow) break;
      flight = latest === flight ? undefined : latest;
    }
    flight ??= this.#begin(question, generation, start);
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

  #begin(question: string, generation: unknown, start: (life: Life) => Promise<Answer>): Flight<Answer> {
    const life = new Life();
    const answer = start(life);
    // A flight that everyone has left fails unheard.
    answer.catch(() => undefined);
    const flight = { generation, answer, life, waiting: 0 };
    this.#flights.set(question, flight);
    return flight;
  }
}

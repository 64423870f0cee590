// Apart from other notes, because the page of views has it.

/** A day that is not over, set against whole ones: it looks like a loss. */
export type OpenDay = {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** False if the zone is unknown, so that the day may already be over. */
  readonly isSure: boolean;
};

/** @param name the day as it is shown */
export function sayOpenDay({ isSure }: OpenDay, name: string): string {
  return `${name} ${isSure ? 'is not over' : 'may not be over in the tracker’s zone'}, and is set against a whole day`;
}

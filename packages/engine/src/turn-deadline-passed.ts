/** The reason with which a turn is aborted that took longer than its assistant allows. */
export class TurnDeadlinePassed extends Error {}

/** Why no job was made, in one message that says what to do. Nothing has been written. */
export class Refusal extends Error {}

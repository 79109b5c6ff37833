// Why there is no result.

// Somebody asked for it.
export class Cancelled extends Error {
  constructor() { super("the run was cancelled"); }
}

// The scenario is wrong: `errors` as Engine.check has them.
export class WrongScenario extends Error {
  constructor(errors) {
    super(errors.map(({ message }) => message).join("\n"));
    this.errors = errors;
  }
}

// The run cannot be done; the message says why.
export class RunFailed extends Error {}

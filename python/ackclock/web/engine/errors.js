// The reasons why there is no result.

// The run was cancelled by the page.
export class Cancelled extends Error {
  constructor() { super("the run was cancelled"); }
}

// The scenario is wrong; `errors` are as in Engine.check.
export class WrongScenario extends Error {
  constructor(errors) {
    super(errors.map(({ message }) => message).join("\n"));
    this.errors = errors;
  }
}

// The run failed; the message says why.
export class RunFailed extends Error {}

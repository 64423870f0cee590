import { Failure } from '../api/failure.ts';

/** The configuration cannot work: a command line, a variable or the file is wrong, or something is missing. */
export class ConfigurationFailure extends Failure {
  override readonly name = 'ConfigurationFailure';
}

// A configuration that can't be used: every fault of it at once, so that one reading mends them all.

import { describeFault, type Fault, LongshoreError } from '../errors.ts';

export class ConfigError extends LongshoreError {
  /** In the order of the file; never empty. */
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];

  constructor(faults: readonly Fault[], warnings: readonly Fault[] = []) {
    super('CONFIG_INVALID', faults.map(describeFault).join('\n'));
    this.faults = faults;
    this.warnings = warnings;
  }
}

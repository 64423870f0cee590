import { AuditTrail } from '../../src/guard/audit-trail.ts';
import { closeAfterTests } from './closing.ts';

/** An audit trail that is closed when the tests of the file are done. */
export function openTrail(...given: ConstructorParameters<typeof AuditTrail>): AuditTrail {
  const trail = new AuditTrail(...given);
  closeAfterTests(() => trail.close());
  return trail;
}

import type { RegistryArea } from '../../../output/registry/area.ts'
import { scannerUnknown } from '../../../output/registry/errors.ts'
import type { ScanPolicyHandlers } from '../../../output/registry/handlers.ts'
import type {
  ParsedCreateScanPolicyRequest,
  ParsedVulnerabilityException,
  ScanPolicyUpdate,
} from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'
import { withAnsweredTimes } from '../../resources/answered-times.ts'
import { Resources } from '../../resources/resources.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { nextScanTime } from './next-scan-time.ts'
import { requireCron, requireSchedule } from './scan-policy-form.ts'
import { scanPolicyKind } from './scan-policy-kind.ts'
import type { StoredScanPolicy } from './scan-policies-store.ts'

type Policies = Resources<StoredScanPolicy, RegistryArea>

/** Returns the handlers of scan policies; each mutation records an audit event. */
export function scanPolicies(environment: RegistryEnvironment): ScanPolicyHandlers {
  const resources: Policies = new Resources(scanPolicyKind, environment)
  const record = (tx: Transaction, context: CallContext, { workspace_id: workspace }: StoredScanPolicy) =>
    recordAuditEvent(tx, environment.clock, context, { action: 'POLICY_CHANGE', workspace })
  return {
    listScanPolicies: (request, context) => resources.list(request, context),
    getScanPolicy: request => resources.get(request),
    async createScanPolicy(request, context) {
      requireCron(request.body)
      const row = newScanPolicy(resources, request, context)
      return resources.create(request, context, row, {
        refer: async () => requireScanner(environment, row.scanner),
        count: tx => record(tx, context, row),
      })
    },
    async updateScanPolicy(request, context) {
      requireCron(request.body)
      return resources.update({ ...request, body: filled(request.body) }, context, {
        async refer(_tx, { changed, value }) {
          requireSchedule(value)
          if (changed.includes('scanner')) requireScanner(environment, value.scanner)
          const isMoved = ['enabled', 'schedule', 'trigger'].some(name => changed.includes(name))
          return isMoved ? { members: { next_scan_time: nextScanTime(value, context.now) } } : {}
        },
        count: (tx, { value }) => record(tx, context, value),
      })
    },
    deleteScanPolicy: (request, context) =>
      resources.delete(request, context, { release: (tx, row) => record(tx, context, row) }),
  }
}

/** Throws SCANNER_UNKNOWN for a name that is neither that of the built-in scanner nor one of the settings. */
export function requireScanner({ scanners }: Pick<RegistryEnvironment, 'scanners'>, name: string): void {
  if (scanners.has(name)) return
  throw faultAt(scannerUnknown, 'scanner', `must be one of ${[...scanners.keys()].join(', ')}`)
}

function newScanPolicy(
  resources: Policies,
  request: ParsedCreateScanPolicyRequest,
  context: CallContext,
): StoredScanPolicy {
  const { etag: _precondition, exceptions, ...settable } = request.body
  const parsed: readonly ParsedVulnerabilityException[] = exceptions
  const row = {
    ...resources.standard(request, context),
    ...settable,
    exceptions: parsed.map(exception => withAnsweredTimes(exception, 'expire_time')),
  }
  return { ...row, next_scan_time: nextScanTime(row, context.now) }
}

/** Returns a body with its exceptions in the form of answers, so that the same exceptions are no change. */
const filled = ({ exceptions, ...others }: ScanPolicyUpdate) => ({
  ...others,
  ...(exceptions && {
    exceptions: exceptions.map(exception => ({ package: '', ...withAnsweredTimes(exception, 'expire_time') })),
  }),
})

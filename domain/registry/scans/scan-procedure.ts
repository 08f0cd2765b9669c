import { again, failed, type Procedure, type StepOutcome } from '../../ports/procedures.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { scanning, type ScanOrder } from './begin-scan.ts'
import { failScans } from './end-scan.ts'
import type { ExternalProgress } from './external-result.ts'
import { scanFaultOf } from './scan-fault.ts'
import { ScanRun, type ScanContext } from './scan-run.ts'

/** The time after which a server without the blobs, or with another scan in progress, tries again, in milliseconds. */
const elsewhereMs = 1000
const busyMs = 500

/** Returns the work that scans an artifact. It has no time limit of its own, because it waits for its turn. */
export const scanProcedure = (environment: RegistryEnvironment): Procedure<ScanOrder, ExternalProgress> => ({
  kind: scanning,
  deadlineMs: 'none',
  steps: [{ name: 'scan', run: context => runScan(environment, context) }],
  async failed(tx, { operationId = '' }, [error]) {
    await failScans(tx, environment.taxonomy, operationId, error, environment.clock.now())
  },
})

async function runScan(environment: RegistryEnvironment, context: ScanContext): Promise<StepOutcome> {
  const { isOfOneHost, lease, scanTurn } = environment
  // Only the server with the blobs has the layers.
  if (isOfOneHost && !(await lease.isServing())) return again(elsewhereMs)
  const outcome = await scanTurn.run(() => outcomeOf(environment, context))
  return outcome === 'busy' ? again(busyMs) : outcome
}

async function outcomeOf(environment: RegistryEnvironment, context: ScanContext): Promise<StepOutcome> {
  try {
    return await new ScanRun(environment, context).run()
  } catch (error) {
    const fault = scanFaultOf(error)
    if (fault) return failed(fault.error)
    throw error
  }
}

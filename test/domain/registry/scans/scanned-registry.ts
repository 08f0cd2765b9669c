import { beforeAll } from 'vitest'
import type { RegistryOperation, ScanReport } from '../../../../output/registry/types.ts'
import type { GivenSettings } from '../../../../server/settings/values.ts'
import { OperationFailed } from '../../../../runtime/operations.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import { FakeScanner } from './fake-scanner.ts'

/** A served registry whose scanner is a made one. */
export interface ScannedRegistry extends ServedRegistry {
  readonly scanner: FakeScanner
  /** Scans an artifact, waits for the end of the operation, and returns its report. */
  scan(repository: string, reference: string, scanner?: string): Promise<ScanReport>
  report(repository: string, reference: string): Promise<ScanReport>
  /** Begins a scan, and returns its operation once it has ended, well or not. */
  ended(repository: string, reference: string, scanner?: string): Promise<RegistryOperation>
}

/** The settings of a served registry with a made scanner. */
export interface ScannedOptions {
  readonly given?: () => Promise<GivenSettings>
  /** Whether the workspace may have any number of repositories, and begin any number of scans a day. */
  readonly hasUnlimitedQuotas?: boolean
}

/** Serves one registry with a made scanner for the tests of a file. Returns a function that returns it within a test. */
export function scannedRegistry({ given, hasUnlimitedQuotas = false }: ScannedOptions = {}): () => ScannedRegistry {
  let found: ScannedRegistry | undefined
  beforeAll(async () => {
    const undone: (() => void | Promise<void>)[] = []
    const scanner = new FakeScanner()
    const served = await servedRegistry(undo => void undone.push(undo), 0, {
      mounted: scanner.areas(),
      ...(given && { given: await given() }),
    })
    const { registry } = served.api
    for (const quota_definition_id of hasUnlimitedQuotas ? ['registry.repositories', 'registry.scansPerDay'] : [])
      await registry.createQuotaLimit({ workspace: served.workspace, body: { quota_definition_id, limit: -1 } })
    const report = (repository: string, reference: string): Promise<ScanReport> =>
      registry.getScanReport({ workspace: served.workspace, repository, reference })
    const ended = async (repository: string, reference: string, name?: string): Promise<RegistryOperation> => {
      const body = name === undefined ? {} : { scanner: name }
      const begun = await registry.scanArtifact({ workspace: served.workspace, repository, reference, body })
      await registry.waitOperation(begun).catch((error: unknown) => {
        if (!(error instanceof OperationFailed)) throw error
      })
      return registry.getOperation({ id: begun.id })
    }
    found = {
      ...served,
      scanner,
      report,
      ended,
      async scan(repository, reference, name) {
        await ended(repository, reference, name)
        return report(repository, reference)
      },
    }
    return async () => {
      for (const undo of undone.toReversed()) await undo()
    }
  })
  return () => {
    if (found === undefined) throw new Error('the registry is served within tests only')
    return found
  }
}

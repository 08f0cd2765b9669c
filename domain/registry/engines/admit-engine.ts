import { requireNative } from './distribution-engines.ts'

/** What only the native engine can do, by the operations of the calls. */
const nativeCalls = [
  { operation: /RetentionPolic(?:y|ies)$/, capability: 'RETENTION_POLICIES', what: 'retention policies exist' },
  { operation: /ScanPolic(?:y|ies)$/, capability: 'SCAN_POLICIES', what: 'scan policies exist' },
] as const

/** Throws ENGINE_CAPABILITY_UNSUPPORTED for a call that the engine in its path cannot serve (registry.md 6). */
export function admitEngine(operationId: string, engine: string | undefined): void {
  if (engine === undefined) return
  for (const { capability, operation, what } of nativeCalls)
    if (operation.test(operationId)) requireNative(engine, capability, what)
}

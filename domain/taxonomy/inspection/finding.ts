import type { Finding } from '../../ports/inspection.ts'

/** Returns a finding about a row. */
export const finding = (resourceType: string, id: string, message: string): Finding => ({ resourceType, id, message })

import type { Finding } from '../../ports/inspection.ts'

export const finding = (resourceType: string, id: string, message: string): Finding => ({ resourceType, id, message })

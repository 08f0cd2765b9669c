import { proveDocument } from '../documented.ts'

await proveDocument('network')

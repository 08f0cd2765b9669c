import { proveDocument } from '../documented.ts'

let count = 0

/** The members of a class that the examples of the document do not fit: the bootstrap has created the default class. */
const storageClass = () => ({ name: `class-${(count += 1)}`, is_default: false })

await proveDocument('storage', { createStorageClass: storageClass })

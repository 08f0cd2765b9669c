import { join } from 'node:path'
import type { Collection } from '../domain/ports/store.ts'
import { bootstrapPrincipals } from './access/bootstrap.ts'
import type { AreaModule } from './area.ts'
import { outbox } from './audit/outbox.ts'
import { rememberedKeys } from './operations/idempotency.ts'
import { workCollections } from './operations/workers.ts'

/** Where the store of a data folder lies. */
export const storeFile = (dataDir: string): string => join(dataDir, 'ninefold.sqlite')

/** What a store keeps: the server's own collections and those of the areas. */
export const storeCollections = (areas: readonly AreaModule[]): readonly Collection<never>[] => [
  bootstrapPrincipals,
  rememberedKeys,
  outbox,
  ...workCollections,
  ...areas.flatMap(({ collections }) => collections),
]

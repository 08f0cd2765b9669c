import { beforeEach, inject } from 'vitest'

// This module runs before each file of the project that tests on PostgreSQL, and skips its tests if there is no server.
const postgres = inject('postgres')
if ('missing' in postgres) beforeEach(({ skip }) => skip(`no PostgreSQL: ${postgres.missing}`))

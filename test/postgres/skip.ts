import { beforeEach, inject } from 'vitest'

// Runs before each file of the project that tests on PostgreSQL.
const postgres = inject('postgres')
if ('missing' in postgres) beforeEach(({ skip }) => skip(`no PostgreSQL: ${postgres.missing}`))

import { beforeEach, inject } from 'vitest'

// This module runs before each test file of the project `postgres`, and skips the tests of the file if there is no
// server.
const postgres = inject('postgres')
if ('missing' in postgres) beforeEach(({ skip }) => skip(`no PostgreSQL: ${postgres.missing}`))

import { describe } from 'vitest'
import { driverContract } from '../../../domain/compute/drivers/driver-contract.ts'
import { lacksQemu } from './lacks-qemu.ts'
import { qemuSubject } from './qemu-subject.ts'

describe.skipIf(lacksQemu)('the driver of QEMU', () => {
  driverContract('QEMU', () => qemuSubject())
})

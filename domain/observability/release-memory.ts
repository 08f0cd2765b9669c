/**
 * Returns the memory of an array at once, which would otherwise stay until a garbage collection, and make collections
 * frequent. The whole buffer of the array is released; nothing may use it afterwards.
 */
export function releaseMemory({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

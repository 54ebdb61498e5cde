public import Basics
internal import CLinux

/// The memory into which datagrams are received: one for each worker, shared by its sockets.
///
/// It is mapped, not allocated: only pages that a datagram has touched are resident, so 32 slots of 64 KiB cost an idle
/// server nothing. A slot takes one datagram, or up to 64 coalesced by the kernel (`UDP_GRO`).
@safe public final class ReceiveSlab {
  // The mapping made by `init` and unmapped by `deinit`; every slot index passed to C is checked there.
  private let raw: OpaquePointer
  /// How many buffers one receive can fill.
  public let slots: Int
  /// Whether a receive is under way: its buffers must not be refilled under the reader.
  @usableFromInline var isBusy = false

  /// Maps a slab.
  ///
  /// - Parameters:
  ///   - slots: Buffers filled by one system call, 1 to 1,024.
  ///   - slotSize: Bytes of a buffer, 2,048 to 65,536; smaller ones cut coalesced datagrams off.
  public init(slots: Int = 32, slotSize: Int = 65_536) throws(TransportError) {
    guard let raw = unsafe parley_receive_slab_create(UInt32(clamping: slots), UInt32(clamping: slotSize)) else {
      throw .outOfMemory("a receive slab of \(slots) buffers of \(slotSize) bytes")
    }
    unsafe self.raw = raw
    self.slots = slots
  }

  deinit { unsafe parley_receive_slab_destroy(raw) }

  @usableFromInline @unsafe struct Filled {
    @usableFromInline var bytes: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline var segment: Int
    @usableFromInline var remote: TransportAddress
    @usableFromInline var local: TransportAddress
  }

  /// Fills slots from the socket; a count or a negative error number.
  func fill(from descriptor: Int32) -> Int { unsafe Int(parley_receive(raw, descriptor)) }

  /// The slot `index` after ``fill(from:)``.
  @usableFromInline func filled(_ index: Int, localPort: UInt16) -> Filled {
    let r = unsafe parley_receive_at(raw, UInt32(truncatingIfNeeded: index), localPort)
    // The pointer and length are those of one slot of the mapping.
    return unsafe Filled(
      bytes: UnsafeMutableBufferPointer(start: r.bytes, count: Int(r.length)),
      segment: Int(r.segment), remote: TransportAddress(r.remote), local: TransportAddress(r.local))
  }
}

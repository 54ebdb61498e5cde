/// The readiness of a file descriptor, or the interest in it.
public struct Readiness: OptionSet, Sendable, Hashable {
  /// The bits as `epoll` counts them.
  public let rawValue: UInt32

  /// A set of the given bits.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// There is something to read, or a connection to accept (`EPOLLIN`).
  public static let readable = Readiness(rawValue: 0x001)
  /// There is room to write (`EPOLLOUT`).
  public static let writable = Readiness(rawValue: 0x004)
  /// An error is pending (`EPOLLERR`); always reported.
  public static let error = Readiness(rawValue: 0x008)
  /// The other end is gone (`EPOLLHUP`); always reported.
  public static let hangUp = Readiness(rawValue: 0x010)
  /// The other end will send no more (`EPOLLRDHUP`).
  public static let readHangUp = Readiness(rawValue: 0x2000)
  /// As an interest: each arrival is reported once, instead of again in every tick while something is left (`EPOLLET`).
  /// For handlers that read until nothing is left; the kernel then need not ask such a descriptor again.
  public static let edgeTriggered = Readiness(rawValue: 0x8000_0000)
}

public import Basics
internal import CLinux
internal import Glibc

/// Reports when interfaces and addresses of this machine come and go, through the kernel's notices (netlink). All of it
/// happens on the loop's thread.
///
/// A change of network is a burst of notices (addresses go, a link goes, a link comes, addresses come). They are
/// collected until ``settling`` has passed since the first, and nothing is reported when the list is the same
/// afterwards.
public final class NetworkMonitor {
  /// How long a burst of notices is collected.
  public static let settling = TimeSpan.milliseconds(150)

  /// The interfaces as last reported, or at the start.
  public private(set) var interfaces: [NetworkInterface]

  private let loop: EventLoop
  private let netlink: Int32
  private let timer: Int32
  private var registrations: [EventLoop.Registration] = []
  private var onChange: (([NetworkInterface]) -> Void)?
  private var isCollecting = false

  /// Starts to watch. On the loop's thread.
  /// - Parameter onChange: Called with the interfaces that there are now, whenever they have changed.
  public init(on loop: EventLoop, onChange: @escaping ([NetworkInterface]) -> Void) throws(TransportError) {
    self.loop = loop
    let netlink = parley_netlink_open()
    guard netlink >= 0 else { throw .system(call: "netlink", code: -netlink) }
    let timer = parley_timer_create()
    guard timer >= 0 else {
      Glibc.close(netlink)
      throw .system(call: "timerfd_create", code: -timer)
    }
    self.netlink = netlink
    self.timer = timer
    self.onChange = onChange
    interfaces = (try? NetworkInterfaces.list()) ?? []
    registrations.append(try loop.register(netlink, for: .readable) { [weak self] _ in self?.noticed() })
    registrations.append(try loop.register(timer, for: .readable) { [weak self] _ in self?.settled() })
  }

  deinit {
    Glibc.close(netlink)
    Glibc.close(timer)
  }

  /// Stops watching, permanently. On the loop's thread; to be called before the monitor is released.
  public func stop() {
    for registration in registrations { loop.unregister(registration) }
    registrations = []
    onChange = nil
  }

  private func noticed() {
    guard parley_netlink_drain(netlink) == 1, !isCollecting else { return }
    isCollecting = true
    parley_timer_set(timer, Self.settling.nanoseconds)
  }

  private func settled() {
    var expirations: UInt64 = 0
    // Eight bytes of a local variable.
    _ = unsafe read(timer, &expirations, 8)
    isCollecting = false
    guard let list = try? NetworkInterfaces.list(), list != interfaces else { return }
    interfaces = list
    onChange?(list)
  }
}

import Basics
import CLinux
import CWebSockets
import Glibc
import Synchronization

/// libwebsockets on a service thread of its own.
///
/// The library may be entered from this thread only; ``post(_:)`` is the one way in from elsewhere. Connections are
/// known to it by a number (a tag), so a stale pointer can never be followed.
@safe final class WireService: @unchecked Sendable {
  // Unchecked because: `mailbox` is behind a mutex, and all else is touched on the service thread only (before it
  // starts, by the initialiser).

  private struct Mailbox {
    var work: [@Sendable () -> Void] = []
    var isOpen = true
    var wake = false
  }

  private let mailbox = Mutex(Mailbox())
  private let joined = Mutex(false)
  // Created by `init`, destroyed by the thread at its end; `mailbox.isOpen` guards the one use from other threads.
  private var raw: UnsafeMutablePointer<parley_ws_service>?
  private var thread = pthread_t()
  private var handlers: [UInt: any WireHandler] = [:]
  private var lastTag: UInt = 0
  private var stopping = false
  // Created and destroyed by the thread, which alone uses it; nil while it does not run.
  private var poller: OpaquePointer?
  /// The ticks so far.
  private(set) var ticks: UInt64 = 0
  private var nextTick = Instant.distantFuture
  private let tickInterval: TimeSpan

  /// Marks the tag of a connection's companion, which is told apart by it from the connection.
  static let companion: UInt = 1 << 63

  /// Scratch for one outgoing piece with the room that libwebsockets wants in front.
  let pieceSize = 16_384
  // Allocated by `init`, freed by `deinit`; raw memory, because a write may enter here again through a callback.
  let scratch: UnsafeMutablePointer<UInt8>
  private let pendingName: String
  /// The certificate of a server with TLS; it lives as long as the library, which calls it in handshakes.
  private var serverContext: TLSServerContext?
  /// The buffer in which ``ServerWire`` checks bytes before the library reads them.
  var peeked: [UInt8]

  /// Starts a service.
  ///
  /// - Parameters:
  ///   - headerBytes: The limit on one request's headers.
  ///   - requestBytes: The limit on a client's request, its body left out. Servers keep to the limit that they start
  ///     with: an answer of the library's own has to be too long for it (`parley_ws_no_own_answers`).
  ///   - descriptors: The most descriptors it will hold; 0 for the process limit.
  ///   - tickInterval: How often handlers check their deadlines, while there are any handlers.
  init(
    name: String, headerBytes: Int = 8_192, requestBytes: Int = 4_096, descriptors: Int = 0,
    tickInterval: TimeSpan = .milliseconds(250)
  ) throws(TransportError) {
    self.tickInterval = tickInterval
    pendingName = name
    peeked = [UInt8](repeating: 0, count: headerBytes + 1)
    unsafe scratch = .allocate(capacity: parley_ws_padding() + pieceSize + 16)
    unsafe raw = nil
    unsafe poller = nil
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    // The service lives until the thread has destroyed the context, so the unretained pointer stays valid in callbacks.
    unsafe raw = parley_ws_service_create(
      wireCallback,
      { if let raw = unsafe $0 { unsafe Unmanaged<WireService>.fromOpaque(raw).takeUnretainedValue().ticked() } }, me,
      UInt32(clamping: descriptors), UInt32(clamping: headerBytes), UInt32(clamping: requestBytes), 2_048, pieceSize)
    guard unsafe raw != nil else { throw .outOfMemory("the HTTP service") }
  }

  deinit { unsafe scratch.deallocate() }

  /// Adds a virtual host before ``start()`` for a server without TLS.
  func makeHost() -> OpaquePointer? {
    guard let raw = unsafe raw else { return nil }
    return unsafe parley_ws_vhost_create(raw, "plain", PARLEY_WS_SERVER)
  }

  /// Adds a virtual host before ``start()`` for a server with TLS, which proves itself with what `certificates` has.
  func makeHost(_ certificates: TLSServerContext) -> OpaquePointer? {
    guard let raw = unsafe raw else { return nil }
    serverContext = certificates
    guard let host = unsafe parley_ws_vhost_create(raw, "tls", PARLEY_WS_TLS_SERVER), certificates.isAttached else {
      return nil
    }
    return unsafe host
  }

  /// Adds a virtual host before ``start()`` for clients; reading the system's authorities for one with TLS takes a
  /// while.
  func makeClientHost(isSecure: Bool) -> OpaquePointer? {
    guard let raw = unsafe raw else { return nil }
    return unsafe parley_ws_vhost_create(
      raw, "client", isSecure ? PARLEY_WS_TLS_CLIENT : PARLEY_WS_PLAIN_CLIENT)
  }

  /// Starts the service thread, which holds a reference to this object until it ends.
  func start() throws(TransportError) {
    let retained = unsafe Unmanaged.passRetained(self)
    // The thread owns that reference and gives it back when its body ends.
    let code = unsafe parley_thread_start(
      &thread, pendingName, -1,
      { if let raw = unsafe $0 { unsafe Unmanaged<WireService>.fromOpaque(raw).takeRetainedValue().run() } },
      retained.toOpaque())
    if code != 0 {
      unsafe retained.release()
      throw .system(call: "starting the thread \(pendingName)", code: code)
    }
  }

  /// Frees a service whose thread was never started.
  func discard() {
    if let raw = unsafe raw { unsafe parley_ws_service_destroy(raw) }
    unsafe raw = nil
    joined.withLock { $0 = true }
  }

  /// Runs `work` on the service thread; false when the service has ended. Any thread.
  @discardableResult func post(_ work: @escaping @Sendable () -> Void) -> Bool {
    mailbox.withLock { box in
      guard box.isOpen, let raw = unsafe raw else { return false }
      box.work.append(work)
      // The context lives as long as the mailbox is open, and this is the call that other threads may make.
      if !box.wake {
        box.wake = true
        unsafe parley_ws_wake(raw)
      }
      return true
    }
  }

  /// Ends every connection and the thread, and waits for it. Not from the service thread.
  func stop() {
    post { self.stopping = true }
    joined.withLock { done in
      if done { return }
      pthread_join(thread, nil)
      done = true
    }
  }

  // MARK: On the service thread

  /// Gives `handler` a tag and its events from now on.
  func add(_ handler: any WireHandler) -> UInt {
    let tag = makeTag()
    add(handler, tag)
    return tag
  }

  /// A tag for a handler to come.
  func makeTag() -> UInt {
    lastTag &+= 1
    return lastTag
  }

  /// As ``add(_:)``, with a tag that was made before.
  func add(_ handler: any WireHandler, _ tag: UInt) {
    handlers[tag] = handler
    if handlers.count == 1 { requestTick(in: tickInterval) }
  }

  /// The handler of a tag, while its connection is there.
  func handler(_ tag: UInt) -> (any WireHandler)? { handlers[tag] }

  /// Forgets a handler whose connection never came to be.
  func remove(_ tag: UInt) { handlers[tag] = nil }

  /// Calls `body` with every handler; it may close any of them.
  func forEach(_ body: (any WireHandler) -> Void) {
    for handler in Array(handlers.values) { body(handler) }
  }

  /// The library's limit of descriptors: 0 (the process limit) unless that is so large that its tables would cost
  /// memory.
  static func descriptorLimit(for connections: Int) -> Int {
    var limit = rlimit()
    // A local variable that the call fills.
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return limit.rlim_cur > 16_384 ? 2 * connections + 64 : 0
  }

  @unsafe var context: UnsafeMutablePointer<parley_ws_service>? { unsafe raw }

  /// A descriptor is about to be watched (or just was, before the thread waits again), whose number may have been
  /// another one's: epoll has forgotten that one with its end.
  func isNew(_ descriptor: Int32) {
    if let poller = unsafe poller { unsafe parley_poller_forget(poller, descriptor) }
  }

  /// The poller's work so far.
  var polling: parley_poller_counters {
    guard let poller = unsafe poller else { return parley_poller_counters() }
    return unsafe parley_poller_read(poller)
  }

  /// Asks for a tick of every handler, sooner than the usual one.
  func requestTick(in span: TimeSpan) {
    let at = MonotonicClock.now + span
    guard at < nextTick, let raw = unsafe raw else { return }
    nextTick = at
    unsafe parley_ws_set_timer(raw, max(span.microseconds, 1))
  }

  private func run() {
    // Without one, the library waits with `poll`.
    unsafe poller = parley_poller_create()
    unsafe parley_poller_use(poller)
    while !stopping, let raw = unsafe raw, unsafe parley_ws_service_run(raw) >= 0 {}
    let left = mailbox.withLock { box in
      box.isOpen = false
      defer { box.work.removeAll() }
      return box.work
    }
    for work in left { work() }
    if let raw = unsafe raw { unsafe parley_ws_service_destroy(raw) }
    unsafe raw = nil
    unsafe parley_poller_destroy(poller)
    unsafe poller = nil
    for handler in handlers.values { handler.wireClosed() }
    handlers.removeAll()
  }

  private func drain() {
    let work = mailbox.withLock { box in
      box.wake = false
      defer { box.work.removeAll(keepingCapacity: true) }
      return box.work
    }
    for item in work { item() }
  }

  private func ticked() {
    nextTick = .distantFuture
    ticks &+= 1
    if !handlers.isEmpty { requestTick(in: tickInterval) }
    let now = MonotonicClock.now
    // A copy: a tick may close its connection and so change the table.
    for handler in Array(handlers.values) { handler.tick(now: now) }
  }

  @unsafe fileprivate func dispatch(
    _ event: WireEvent, _ wsi: OpaquePointer, _ user: UnsafeMutableRawPointer?, _ bytes: UnsafeMutableRawPointer?,
    _ count: Int
  ) -> Int32 {
    if event == LWS_CALLBACK_EVENT_WAIT_CANCELLED {
      drain()
      return 0
    }
    if event == LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS {
      // The user pointer of this event is the virtual host's SSL_CTX.
      if let context = unsafe user { unsafe serverContext?.attach(to: OpaquePointer(context)) }
      return 0
    }
    let tag = unsafe parley_ws_tag(wsi)
    if tag & Self.companion != 0 {
      guard event == LWS_CALLBACK_RAW_CLOSE_FILE || event == LWS_CALLBACK_RAW_RX_FILE,
        let handler = handlers[tag & ~Self.companion]
      else { return 0 }
      return unsafe handler.handle(event, wsi, bytes, count)
    }
    guard tag != 0, let handler = handlers[tag] else { return 0 }
    if event == LWS_CALLBACK_WSI_DESTROY {
      handlers[tag] = nil
      handler.wireClosed()
      return 0
    }
    return unsafe handler.handle(event, wsi, bytes, count)
  }
}

/// The entry point of libwebsockets. `wsi` is null or a stand-in for some events; the user pointer is the service's.
private func wireCallback(
  _ wsi: OpaquePointer?, _ event: WireEvent, _ user: UnsafeMutableRawPointer?, _ bytes: UnsafeMutableRawPointer?,
  _ count: Int
) -> Int32 {
  // The context's user pointer is the service, which outlives the context.
  guard let wsi = unsafe wsi, let owner = unsafe parley_ws_user(wsi) else { return 0 }
  return unsafe Unmanaged<WireService>.fromOpaque(owner).takeUnretainedValue().dispatch(
    event, wsi, user, bytes, count)
}

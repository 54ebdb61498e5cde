#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Seconds, by the name that Core Foundation has for them.
public typealias CFTimeInterval = TimeInterval
/// Seconds since the start of 2001.
public typealias CFAbsoluteTime = TimeInterval

/// The time of the machine's clock, in seconds since the start of 2001.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// The time of the clock of display links, in seconds.
public func CACurrentMediaTime() -> CFTimeInterval { ProcessInfo.processInfo.systemUptime }

/// Calls at every refresh of the display, on the main actor.
///
/// Linux has no selectors, so the target's method is named without `#selector`:
///
/// ```swift
/// link = CADisplayLink(target: self, selector: Renderer.draw)
/// link?.add(to: .main, forMode: .common)
/// ```
///
/// It keeps its target until ``invalidate()``, as on a phone; keep the link itself, since one that nobody keeps ends.
@preconcurrency @MainActor
public final class CADisplayLink {
  /// The refreshes of a display a second; windows here don't learn their display's own rate.
  private static let usualRate = 60

  private var call: (@MainActor (CADisplayLink) -> Void)?
  private var ticking: Task<Void, Never>?
  private var isAdded = false

  /// Whether it does not call for now.
  public var isPaused = false { didSet { if isPaused != oldValue { arrange() } } }
  /// How often it calls in a second, at most sixty times; 0 is as often as the display is refreshed, which counts as
  /// sixty.
  public var preferredFramesPerSecond = 0
  /// When the refresh came that it calls for, in seconds of ``CACurrentMediaTime()``.
  public private(set) var timestamp: TimeInterval = 0
  /// When the next one is due.
  public var targetTimestamp: TimeInterval { timestamp + duration }
  /// The seconds from one refresh to the next.
  public var duration: TimeInterval {
    let wanted = preferredFramesPerSecond > 0 ? preferredFramesPerSecond : Self.usualRate
    return 1 / TimeInterval(min(wanted, Self.usualRate))
  }

  /// Calls a method of `target` with the link, once it is added to the run loop.
  @preconcurrency
  public init<T: AnyObject>(
    target: T, selector: @escaping @MainActor (T) -> @MainActor (CADisplayLink) -> Void
  ) {
    call = { selector(target)($0) }
  }

  /// Calls a method of `target`, once it is added to the run loop.
  @preconcurrency
  public init<T: AnyObject>(target: T, selector: @escaping @MainActor (T) -> @MainActor () -> Void) {
    call = { _ in selector(target)() }
  }

  deinit { ticking?.cancel() }

  /// Begins to call. It calls on the main actor in every mode, whichever run loop is given.
  public func add(to runloop: RunLoop, forMode mode: RunLoop.Mode) {
    isAdded = true
    arrange()
  }

  /// Calls no more until it is added again.
  public func remove(from runloop: RunLoop, forMode mode: RunLoop.Mode) {
    isAdded = false
    arrange()
  }

  /// Ends the calls, permanently, and releases its target.
  public func invalidate() {
    call = nil
    isAdded = false
    arrange()
  }

  private func arrange() {
    ticking?.cancel()
    ticking = nil
    guard isAdded, !isPaused, call != nil else { return }
    ticking = Task { [weak self] in
      while !Task.isCancelled, let pause = self?.refresh() { try? await Task.sleep(for: .seconds(pause)) }
    }
  }

  /// Calls, and returns the seconds to the next time.
  private func refresh() -> TimeInterval {
    timestamp = CACurrentMediaTime()
    call?(self)
    return max(targetTimestamp - CACurrentMediaTime(), 0.001)
  }
}
#endif

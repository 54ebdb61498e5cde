#if !canImport(UIKit) || os(Linux)
import Foundation
public import Parley
import Synchronization

/// The destination of a tile's frames, on any thread. It keeps the newest one.
public final class VideoSurface: VideoSink {
  /// How a frame fits the tile.
  public enum Scaling: Hashable, Sendable {
    /// Whole, with bars where the shapes differ.
    case fit
    /// Filling the tile, cut where the shapes differ.
    case fill
  }

  private struct State {
    var frame: VideoFrame?
    var count = 0
    /// Counts what it was given and cleared of.
    var version = 0
    var conversions = 0
    var scaling = Scaling.fit
    var isMirrored = false
    var onFrame: (@Sendable (VideoFrame?) -> Void)?
    var onLook: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// A surface without a frame.
  public init() {}

  public func receive(_ frame: VideoFrame) {
    let onFrame = state.withLock { state in
      state.frame = frame
      state.count &+= 1
      state.version &+= 1
      return state.onFrame
    }
    onFrame?(frame)
  }

  /// Shows nothing any more.
  public func clear() {
    let onFrame = state.withLock { state in
      state.frame = nil
      state.version &+= 1
      return state.onFrame
    }
    onFrame?(nil)
  }

  /// The newest frame; nil before the first.
  public var frame: VideoFrame? { state.withLock { $0.frame } }
  /// How many frames it was given so far.
  public var frameCount: Int { state.withLock { $0.count } }

  /// The newest frame, and a number that no other frame has.
  var newest: (frame: VideoFrame?, version: Int) { state.withLock { ($0.frame, $0.version) } }
  /// How many of its frames were converted for a window.
  var conversionCount: Int { state.withLock { $0.conversions } }
  func noteConversion() { state.withLock { $0.conversions &+= 1 } }

  /// How a frame fits the tile.
  public var scaling: Scaling {
    get { state.withLock { $0.scaling } }
    set { look { $0.scaling = newValue } }
  }

  /// Whether left and right change places, as in a mirror: for one's own preview.
  public var isMirrored: Bool {
    get { state.withLock { $0.isMirrored } }
    set { look { $0.isMirrored = newValue } }
  }

  private func look(_ change: (inout State) -> Void) {
    let onLook = state.withLock { state in
      change(&state)
      return state.onLook
    }
    onLook?()
  }

  /// Called when a frame came or went, on the thread that gave it, and at once with the present one; nil ends the
  /// calls.
  func setObserver(_ onFrame: (@Sendable (VideoFrame?) -> Void)?) {
    let frame = state.withLock { state in
      state.onFrame = onFrame
      return state.frame
    }
    if let frame { onFrame?(frame) }
  }

  /// Calls when the scaling or mirroring changed.
  func setLookObserver(_ onLook: (@Sendable () -> Void)?) { state.withLock { $0.onLook = onLook } }
}

extension UIView {
  /// Shows changes of how frames of `surface` fit this view.
  func follow(_ surface: VideoSurface) {
    surface.setLookObserver { [weak self] in
      Task { @MainActor in self?.contentChanged() }
    }
  }
}
#endif

#if !canImport(UIKit) || os(Linux)
import CGTK
import Foundation
import Parley
import Synchronization

/// Brings the frames of a surface to a widget. A frame is converted once, into memory that GTK takes over as it is,
/// when the window is about to be drawn. Of frames that come faster the newest is shown and the others are never
/// converted. A hidden tile, as under a screen that covers it, converts nothing.
///
/// So a received frame is written twice on its way: out of the decoder's memory, which the decoder uses again, into the
/// frame that all sinks share; and from there into the texture's. GTK's renderer is outside of this count.
final class VideoFeed: Sendable {
  let surface: VideoSurface
  /// Whether a frame has come that was not looked at yet.
  private let isWaiting = Atomic(false)
  // Unsafe because: these are used on GTK's thread only.
  nonisolated(unsafe) private var node: OpaquePointer?
  nonisolated(unsafe) private var isSeen: Bool
  nonisolated(unsafe) private var shown = 0

  init(_ surface: VideoSurface, to node: OpaquePointer, isSeen: Bool) {
    self.surface = surface
    self.node = node
    self.isSeen = isSeen
    surface.setObserver { [weak self] _ in self?.receive() }
  }

  /// Shows nothing any more; called on GTK's thread.
  func stop() {
    surface.setObserver(nil)
    node = nil
  }

  /// The tile came into sight or left it; called on GTK's thread.
  func setSeen(_ isSeen: Bool) {
    guard isSeen != self.isSeen else { return }
    self.isSeen = isSeen
    // Frames that came while it was out of sight wait still.
    if isWaiting.load(ordering: .acquiring) { ask() }
  }

  /// A frame came or went: any thread.
  private func receive() {
    guard isWaiting.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
      return
    }
    GTKThread.post { self.ask() }
  }

  private func ask() {
    if let node, isSeen { parley_node_await_drawing(node) }
  }

  /// The window is about to be drawn; called on GTK's thread.
  func draw() {
    guard let node, isSeen else { return }
    isWaiting.store(false, ordering: .releasing)
    let (frame, version) = surface.newest
    guard version != shown else { return }
    shown = version
    guard let frame else { return parley_node_set_pixels(node, nil, 0, 0, 0, nil, nil) }
    let count = frame.width * frame.height * 4
    guard let memory = malloc(count) else { return }
    surface.noteConversion()
    do {
      try frame.write(to: UnsafeMutableRawBufferPointer(start: memory, count: count), format: .bgra)
    } catch {
      return free(memory)
    }
    parley_node_set_pixels(
      node, memory.assumingMemoryBound(to: UInt8.self), Int32(frame.width), Int32(frame.height), 1, { free($0) }, memory
    )
  }
}
#endif

#if !canImport(UIKit)
import CGTK
import Foundation
import Parley
import Synchronization

/// Brings the pictures of a surface to a widget. Of those that come faster than the window is drawn, the newest is shown and the others are
/// never converted. A picture is converted once, into memory that GTK takes over as it is.
final class VideoFeed: Sendable {
  let surface: VideoSurface
  private let isPosted = Atomic(false)
  // Unsafe because: read and cleared on GTK's thread only.
  nonisolated(unsafe) private var node: OpaquePointer?

  init(_ surface: VideoSurface, to node: OpaquePointer) {
    self.surface = surface
    self.node = node
    surface.setObserver { [weak self] _ in self?.post() }
  }

  /// Shows nothing any more; called on GTK's thread.
  func stop() {
    surface.setObserver(nil)
    node = nil
  }

  private func post() {
    guard isPosted.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
      return
    }
    GTKThread.post { self.show() }
  }

  private func show() {
    isPosted.store(false, ordering: .releasing)
    guard let node else { return }
    guard let frame = surface.frame else { return parley_node_set_pixels(node, nil, 0, 0, 0, nil, nil) }
    let count = frame.width * frame.height * 4
    guard let memory = malloc(count) else { return }
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

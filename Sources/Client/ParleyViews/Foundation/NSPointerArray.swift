#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Pointers in a row.
open class NSPointerArray: NSObject {
  private var pointers: [UnsafeMutableRawPointer?] = []
  public override init() { super.init() }
  /// How many there are.
  open var count: Int { pointers.count }
  /// One of them; nil when there are not so many.
  open func pointer(at index: Int) -> UnsafeMutableRawPointer? {
    pointers.indices.contains(index) ? pointers[index] : nil
  }
  open func addPointer(_ pointer: UnsafeMutableRawPointer?) { pointers.append(pointer) }
  /// Puts another one in the place of one; does nothing when there are not so many.
  open func replacePointer(at index: Int, withPointer item: UnsafeMutableRawPointer?) {
    if pointers.indices.contains(index) { pointers[index] = item }
  }
}
#endif

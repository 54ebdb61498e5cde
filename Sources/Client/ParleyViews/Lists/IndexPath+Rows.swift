#if !canImport(UIKit) || os(Linux)
public import Foundation

extension IndexPath {
  /// A row of a section.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  /// The same, by the name collections use.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
  /// The section.
  public var section: Int { count > 0 ? self[0] : 0 }
  /// The row in it.
  public var row: Int { count > 1 ? self[1] : 0 }
  /// The same, by the name collections use.
  public var item: Int { row }
}
#endif

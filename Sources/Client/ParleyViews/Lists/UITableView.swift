#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A list of rows in sections. All its rows are made when it is laid out, whether they are in sight or not: good for
/// hundreds of rows.
open class UITableView: UIScrollView {
  /// The look of the sections.
  public enum Style: Int, Hashable, Sendable {
    /// One under the other.
    case plain = 0
    case grouped = 1
    /// Apart, with room at the sides.
    case insetGrouped = 2
  }

  /// The place of a row after the list has scrolled to it.
  public enum ScrollPosition: Int, Hashable, Sendable {
    /// The nearest place, with the least scrolling.
    case none = 0
    case top = 1
    case middle = 2
    case bottom = 3
  }

  /// How rows come and go; at once here.
  public enum RowAnimation: Int, Hashable, Sendable {
    case fade = 0
    case right = 1
    case left = 2
    case top = 3
    case bottom = 4
    /// Rows appear without an animation.
    case none = 5
    case middle = 6
    /// As the system has it.
    case automatic = 100
  }

  /// The line between rows.
  public enum SeparatorStyle: Int, Hashable, Sendable {
    case none = 0
    case singleLine = 1
  }

  /// The height that means "as the content needs".
  public static let automaticDimension: CGFloat = -1

  public let style: Style
  /// The source of the rows.
  open weak var dataSource: (any UITableViewDataSource)? { didSet { setNeedsReload() } }
  /// Decides on heights, and is notified of selections.
  open weak var delegate: (any UITableViewDelegate)? { didSet { setNeedsReload() } }
  /// The height of a row.
  open var rowHeight: CGFloat = 44 { didSet { setNeedsReload() } }
  /// A guess of it; kept for apps that set it.
  open var estimatedRowHeight: CGFloat = 44
  /// The line between rows.
  open var separatorStyle = SeparatorStyle.singleLine { didSet { contentChanged() } }
  /// Whether rows can be chosen.
  open var allowsSelection = true { didSet { contentChanged() } }
  /// The view above all rows.
  open var tableHeaderView: UIView? { didSet { replace(oldValue, tableHeaderView) } }
  /// The view below all rows.
  open var tableFooterView: UIView? { didSet { replace(oldValue, tableFooterView) } }

  /// The rows as they were asked for, in sections, and their headings.
  var sections: [(header: UILabel?, cells: [UITableViewCell])] = []
  var selected: IndexPath?
  var makers: [String: @MainActor () -> UITableViewCell?] = [:]
  var pool: [String: [UITableViewCell]] = [:]
  private var isStale = true
  private var updates = 0
  /// The row to scroll to once it is laid out.
  var pendingScroll: (path: IndexPath, position: ScrollPosition)?

  public init(frame: CGRect, style: Style) {
    self.style = style
    super.init(frame: frame)
  }

  public convenience override init(frame: CGRect) { self.init(frame: frame, style: .plain) }

  /// A list from an archive.
  public required init?(coder: NSCoder) {
    style = .plain
    super.init(coder: coder)
  }

  private func replace(_ old: UIView?, _ new: UIView?) {
    old?.removeFromSuperview()
    if let new { addSubview(new) }
    setNeedsLayout()
  }

  func setNeedsReload() {
    isStale = true
    setNeedsLayout()
  }

  /// Asks for all rows again.
  open func reloadData() {
    selected = nil
    isStale = true
    setNeedsLayout()
  }

  /// Begins changes that are shown together.
  open func beginUpdates() { updates += 1 }
  open func endUpdates() {
    updates = max(updates - 1, 0)
    if updates == 0 { setNeedsReload() }
  }
  /// Shows changes together, then calls `completion` with true.
  open func performBatchUpdates(_ changes: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
    beginUpdates()
    changes?()
    endUpdates()
    completion?(true)
  }
  /// The data source has new rows there.
  open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) { setNeedsReload() }
  /// The data source has these rows no more.
  open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) { setNeedsReload() }
  /// These rows have changed.
  open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) { setNeedsReload() }
  /// These sections have changed.
  open func reloadSections(_ sections: IndexSet, with animation: RowAnimation) { setNeedsReload() }

  /// Asks for the rows if they are not up to date, and places them.
  open override func layoutSubviews() {
    if isStale, updates == 0 {
      isStale = false
      load()
    }
    placeRows()
    if let (path, position) = pendingScroll {
      pendingScroll = nil
      scrollToRow(at: path, at: position, animated: false)
    }
  }

  private func load() {
    for (header, cells) in sections {
      header?.removeFromSuperview()
      for cell in cells {
        cell.removeFromSuperview()
        if let identifier = cell.reuseIdentifier { pool[identifier, default: []].append(cell) }
      }
    }
    sections = []
    guard let dataSource else { return }
    for section in 0..<max(dataSource.numberOfSections(in: self), 0) {
      var header: UILabel?
      if let title = dataSource.tableView(self, titleForHeaderInSection: section) {
        let label = UILabel()
        label.text = title
        label.font = .boldSystemFont(ofSize: 13)
        label.textColor = .secondaryLabel
        addSubview(label)
        header = label
      }
      var cells: [UITableViewCell] = []
      for row in 0..<max(dataSource.tableView(self, numberOfRowsInSection: section), 0) {
        let path = IndexPath(row: row, section: section)
        let cell = dataSource.tableView(self, cellForRowAt: path)
        cell.isSelected = path == selected
        delegate?.tableView(self, willDisplay: cell, forRowAt: path)
        addSubview(cell)
        cells.append(cell)
      }
      sections.append((header, cells))
    }
    pool = [:]
  }

  private func placeRows() {
    var y: CGFloat = 0
    func place(_ view: UIView, _ height: CGFloat, inset: CGFloat = 0) {
      view.frame = CGRect(x: inset, y: y, width: max(bounds.width - 2 * inset, 0), height: height)
      y += height
    }
    if let tableHeaderView { place(tableHeaderView, tableHeaderView.frame.height) }
    for (section, content) in sections.enumerated() {
      if style != .plain, section > 0 { y += 18 }
      if let header = content.header { place(header, 28, inset: 16) }
      for (row, cell) in content.cells.enumerated() {
        place(cell, height(of: cell, at: IndexPath(row: row, section: section)))
      }
    }
    if let tableFooterView { place(tableFooterView, tableFooterView.frame.height) }
    contentSize = CGSize(width: bounds.width, height: y)
  }

  private func height(of cell: UITableViewCell, at path: IndexPath) -> CGFloat {
    let asked = delegate?.tableView(self, heightForRowAt: path) ?? UITableView.automaticDimension
    if asked >= 0 { return asked }
    if rowHeight >= 0 { return rowHeight }
    let wanted = cell.sizeThatFits(CGSize(width: bounds.width, height: 0)).height
    return max(wanted, 44)
  }

  /// A touch that ends on a row chooses it.
  open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
    guard let touch = touches.first, let path = indexPathForRow(at: touch.location(in: self)) else { return }
    choose(path)
  }
}
#endif

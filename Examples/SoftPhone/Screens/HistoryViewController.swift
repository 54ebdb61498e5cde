import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// The calls that have been, the latest first.
final class HistoryViewController: UITableViewController {
  private let history: CallHistory
  private var rows: [CallHistory.Entry] = []
  private var status: String?
  private var monitor: ObservableMonitor?
  private let formatter = DateFormatter()

  init(_ names: UserNames) {
    history = CallHistory(names)
    super.init(nibName: nil, bundle: nil)
    title = "History"
    formatter.dateStyle = .medium
    formatter.timeStyle = .short
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    tableView.rowHeight = 56
    tableView.allowsSelection = false
    monitor = ObservableMonitor(activatedWithName: "history") { [weak self] () -> Void in self?.load() }
  }

  private func load() {
    rows = history.entries
    status = rows.isEmpty ? (history.isPending ? "Loading the history…" : "There were no calls yet.") : nil
    tableView.reloadData()
  }

  override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    status == nil ? rows.count : 1
  }

  override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = UITableViewCell(style: .subtitle, reuseIdentifier: nil)
    if let status {
      cell.textLabel?.text = status
    } else {
      cell.textLabel?.text = rows[indexPath.row].words
      cell.detailTextLabel?.text = formatter.string(from: rows[indexPath.row].end)
    }
    return cell
  }
}

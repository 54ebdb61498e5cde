import Foundation
import UIKit

/// The customer's accounts, embedded in the main screens.
class AccountsTableViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
  private let table = UITableView(frame: .zero, style: .plain)
  private let accounts = [
    ("Checking account", "•••• 4821", "$3,275.40"), ("Savings account", "•••• 7716", "$18,940.00"),
  ]

  /// The sum of the accounts, as the conversation screens show it.
  static let balance = "Balance: $22,215.40"

  override func viewDidLoad() {
    super.viewDidLoad()
    table.dataSource = self
    table.delegate = self
    table.rowHeight = 64
    table.frame = view.bounds
    table.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    view.addSubview(table)
  }

  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { accounts.count + 1 }

  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    guard indexPath.row < accounts.count else {
      let cell = UITableViewCell(style: .default, reuseIdentifier: nil)
      cell.textLabel?.text = "Log off"
      cell.textLabel?.textColor = .bank
      return cell
    }
    let account = accounts[indexPath.row]
    let cell = UITableViewCell(style: .subtitle, reuseIdentifier: nil)
    cell.textLabel?.text = account.0
    cell.detailTextLabel?.text = account.1
    cell.detailTextLabel?.textColor = .bankGrey
    let balance = BankLabel(account.2, font: .boldSystemFont(ofSize: 17))
    balance.textAlignment = .right
    balance.frame = CGRect(x: 0, y: 0, width: 120, height: 64)
    // As far from the edge as the text at the left.
    let place = UIView(frame: CGRect(x: 0, y: 0, width: 128, height: 64))
    place.addSubview(balance)
    cell.accessoryView = place
    return cell
  }

  func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
    tableView.deselectRow(at: indexPath, animated: true)
    if indexPath.row == accounts.count { navigationController?.popToRootViewController(animated: true) }
  }
}

import Foundation
import UIKit
import SkypeForBusiness

/// The accounts, and an agent in the meeting whose URL stands in the settings.
class MainViewController: AskAgentViewController {
  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Accounts"
    showAccounts { [weak self] in self?.askHow(text: "Ask using Text Chat", video: "Ask using Video Chat") }
  }

  override func joinMeeting(_ sfb: SfBApplication) throws -> SfBAnonymousSession {
    guard let url = Settings.url(Settings.meetingURL) else { throw NoMeeting() }
    return try sfb.joinMeetingAnonymous(withUri: url, displayName: Settings.displayName)
  }

  private struct NoMeeting: LocalizedError {
    var errorDescription: String? { "There is no meeting URL yet: log off, and add one." }
  }
}

/// The accounts, and an agent in a meeting that is made for it.
class OnlineMainViewController: UIViewController {
  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Accounts"
    showAccounts { [weak self] in self?.performSegue(withIdentifier: "onlineMeeting", sender: self) }
  }
}

extension UIViewController {
  /// The part that both main screens share: the embedded table, and the button below it.
  fileprivate func showAccounts(ask: @escaping @MainActor () -> Void) {
    view.backgroundColor = .white
    navigationItem.hidesBackButton = true
    // Short, so that the next screen's title has room next to it.
    navigationItem.backBarButtonItem = UIBarButtonItem(title: "Back", primaryAction: nil)
    let accounts = UIStoryboard(name: "Main", bundle: nil).instantiateViewController(withIdentifier: "Accounts")
    addChild(accounts)
    let form = FormView()
    form.margin = 0
    form.addFlexible(accounts.view, gap: 0)
    let question = BankLabel("Questions about an account or a loan? An agent is here for you.", color: .bankGrey)
    question.textAlignment = .center
    form.add(question, inset: 20)
    let askButton = BankButton("Ask Agent")
    askButton.addAction(UIAction { _ in ask() }, for: .touchUpInside)
    form.add(askButton, inset: 20)
    form.fill(view)
    accounts.didMove(toParent: self)
  }
}

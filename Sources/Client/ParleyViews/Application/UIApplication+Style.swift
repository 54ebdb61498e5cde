#if !canImport(UIKit) || os(Linux)
import Foundation

/// Whether the app is light or dark. A desktop has one theme for all windows of a program, so this is the whole app's.
extension UIApplication {
  /// The style that the front window asks for, or one behind it, or the app; unspecified is as the desktop has it.
  var askedStyle: UIUserInterfaceStyle {
    for window in windows.reversed() {
      let root = window.rootViewController
      let asked: [UIView?] = [window, root?.viewIfLoaded]
      let styles = asked.map { $0?.overrideUserInterfaceStyle } + [root?.overrideUserInterfaceStyle]
      if let style = styles.compactMap({ $0 }).first(where: { $0 != .unspecified }) { return style }
    }
    return userInterfaceStyle
  }

  /// Brings theme, colours and traits to what is asked for.
  func refreshStyle() {
    let asked = askedStyle
    if GTKThread.isRunning { GTKThread.setStyle(asked) }
    let style: UIUserInterfaceStyle = asked != .unspecified ? asked : desktopIsDark ? .dark : .light
    let old = UITraitCollection.current
    guard style != old.userInterfaceStyle else { return }
    UITraitCollection.show(style)
    for window in windows {
      window.forEachView { view in
        view.traitCollectionDidChange(old)
        view.controller?.traitCollectionDidChange(old)
      }
      window.setNeedsUpdate()
    }
  }
}
#endif

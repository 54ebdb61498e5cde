// Pictures by name, where the code wants them.
import UIKit

enum Pictures {
  static func microphone(isMuted: Bool) -> UIImage {
    isMuted ? #imageLiteral(resourceName: "mic_muted") : #imageLiteral(resourceName: "mic")
  }
}

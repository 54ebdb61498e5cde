/// The part of CoreGraphics that Linux has, and UIKit's names as with Apple's module. An app's import line stays as it
/// is.
@_exported public import ParleyViews

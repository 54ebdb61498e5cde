/// The names of PushKit on Linux. They have no effect, since nothing is pushed to a desktop.
@_exported public import ParleyViews

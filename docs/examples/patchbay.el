;;; patchbay.el --- Review what coding agents propose, in Emacs  -*- lexical-binding: t; -*-

;; An example for `patchbay serve --json' (docs/serve-json.md), tried with Emacs 28.2.
;; Load it, then: M-x patchbay-start in a folder, and `patchbay run claude' (or gemini, qwen) in a terminal.

(require 'json)
(require 'subr-x)

(defvar patchbay-program '("patchbay") "The program and its first arguments.")
(defvar patchbay--process nil)
(defvar patchbay--folder nil)
(defvar patchbay--timer nil)
(defvar patchbay--told nil "What agents were told last.")
(defvar-local patchbay--id nil "The proposal of this buffer.")

(defun patchbay-start (folder)
  "Serve FOLDER to agents."
  (interactive "DFolder: ")
  (patchbay-stop)
  (setq patchbay--folder (file-truename (directory-file-name (expand-file-name folder))))
  (setq patchbay--process
        (make-process :name "patchbay" :noquery t :coding 'utf-8-unix :connection-type 'pipe
                      :command `(,@patchbay-program "serve" ,patchbay--folder "--json")
                      :stderr (get-buffer-create " *patchbay errors*")
                      :filter #'patchbay--receive))
  (setq patchbay--timer (run-with-idle-timer 0.2 t #'patchbay--follow)))

(defun patchbay-stop ()
  "End it."
  (interactive)
  (when patchbay--timer (cancel-timer patchbay--timer))
  (when (process-live-p patchbay--process) (process-send-eof patchbay--process))
  (setq patchbay--timer nil patchbay--process nil patchbay--told nil))

(defun patchbay--tell (&rest fields)
  "Send a command, as a property list of FIELDS."
  (when (process-live-p patchbay--process)
    (process-send-string patchbay--process (concat (json-encode fields) "\n"))))

(defun patchbay--receive (process text)
  "Take whole lines of what PROCESS prints, of which TEXT is a part."
  (let ((lines (split-string (concat (process-get process 'rest) text) "\n")))
    (process-put process 'rest (car (last lines)))
    (dolist (line (butlast lines))
      (let ((event (json-parse-string line :object-type 'plist :array-type 'list :null-object nil :false-object nil)))
        ;; Not in the middle of a key, or of another answer.
        (run-at-time 0 nil #'patchbay--handle event)))))

(defun patchbay--handle (event)
  "Do what an EVENT asks for."
  (let ((id (plist-get event :id)))
    (pcase (plist-get event :event)
      ("listening" (message "Patchbay serves %s: type `patchbay run claude' in a terminal" patchbay--folder))
      ("proposal" (patchbay--review event))
      ;; What this buffer sent itself is in it.
      ("changed" (when (equal (plist-get event :by) "file") (patchbay--update event)))
      ("ended" (patchbay--close id) (message "Patchbay: %s" (plist-get event :how)))
      ("message" (patchbay--ask event))
      ("error" (message "Patchbay: %s" (plist-get event :message))))))

(defun patchbay--buffers (id)
  "The buffers of proposal ID."
  (seq-filter (lambda (buffer) (equal id (buffer-local-value 'patchbay--id buffer))) (buffer-list)))

(defun patchbay--side (id name path text)
  "A buffer NAME with TEXT, a side of proposal ID for the file PATH."
  (with-current-buffer (generate-new-buffer name)
    (insert text)
    (goto-char (point-min))
    (let ((buffer-file-name path)) (delay-mode-hooks (set-auto-mode)))
    (setq patchbay--id id)
    (current-buffer)))

(defun patchbay--review (event)
  "Show the proposal of EVENT; the keyboard stays where it is."
  (let* ((id (plist-get event :id)) (path (plist-get event :path))
         (name (format "%s: %s" (plist-get event :agent) (file-name-nondirectory path)))
         (left (patchbay--side id (format "*%s (file)*" name) path (plist-get event :original)))
         (right (patchbay--side id (format "*%s*" name) path (plist-get event :text))))
    (with-current-buffer left (setq buffer-read-only t))
    (with-current-buffer right (patchbay-review-mode 1))
    (display-buffer right '(display-buffer-pop-up-window))
    (message "%s: C-c C-c accepts, C-c C-k rejects, C-c C-d compares with the file" name)))

(defun patchbay--update (event)
  "The file has changed under the proposal of EVENT: both sides follow."
  (dolist (buffer (patchbay--buffers (plist-get event :id)))
    (with-current-buffer buffer
      (let ((inhibit-read-only t) (text (plist-get event (if buffer-read-only :original :text)))
            (other (generate-new-buffer " *patchbay*")))
        (with-current-buffer other (insert text))
        (replace-buffer-contents other)
        (kill-buffer other))))
  (when (equal (plist-get event :standing) "conflict")
    (message "Patchbay: the file has changed in the same lines; resolve the marked conflict, then accept")))

(defun patchbay--close (id)
  "Close what shows proposal ID."
  (dolist (buffer (patchbay--buffers id))
    (with-current-buffer buffer (set-buffer-modified-p nil) (kill-buffer))))

(defun patchbay--ask (event)
  "Show the message of EVENT, and ask where it is a question."
  (let ((actions (plist-get event :actions)) (text (plist-get event :text)))
    (if (null actions) (message "Patchbay: %s" text)
      (let ((answer (ignore-errors (completing-read (concat text " ") actions nil t))))
        (apply #'patchbay--tell :command "answer" :id (plist-get event :id)
               (and answer (not (string-empty-p answer)) (list :action answer)))))))

(defun patchbay-accept ()
  "Accept what this buffer holds."
  (interactive)
  (patchbay--tell :command "accept" :id patchbay--id :text (buffer-string)))

(defun patchbay-reject (reason)
  "Reject the proposal of this buffer; REASON is told to the agent where it can be."
  (interactive "sWhy? (optional) ")
  (apply #'patchbay--tell :command "reject" :id patchbay--id
         (and (not (string-empty-p reason)) (list :reason reason))))

(defun patchbay-compare ()
  "Show what the proposal of this buffer changes."
  (interactive)
  (pcase (seq-sort-by #'buffer-name #'string> (patchbay--buffers patchbay--id))
    (`(,right ,left) (display-buffer (diff-no-select left right nil t)))))

(define-minor-mode patchbay-review-mode "Decide a proposal of an agent."
  :lighter " Review" :keymap '(("\C-c\C-c" . patchbay-accept) ("\C-c\C-k" . patchbay-reject)
                                ("\C-c\C-d" . patchbay-compare)))

(defun patchbay--position (point)
  "POINT as a line and a character from 0."
  (save-excursion (goto-char point)
    (list :line (1- (line-number-at-pos nil t)) :character (- point (line-beginning-position)))))

(defun patchbay--follow ()
  "Tell agents which file is in front, and what is selected in it."
  (let ((file (buffer-file-name (window-buffer (selected-window)))))
    (when (and file (file-in-directory-p file patchbay--folder) (file-exists-p file))
      (let* ((place (list :command "open" :file file :cursor (patchbay--position (point))))
             (all (if (not (use-region-p)) place
                    (append place (list :selection (list :start (patchbay--position (region-beginning))
                                                         :end (patchbay--position (region-end))))))))
        (unless (equal all patchbay--told)
          (setq patchbay--told all)
          (apply #'patchbay--tell all))))))

(provide 'patchbay)
;;; patchbay.el ends here

import remarkValidateLinks from 'remark-validate-links';

/** Offline: links between files of the repository and to their headings. */
export default { plugins: [[remarkValidateLinks, { repository: false }]] };
